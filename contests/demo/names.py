"""
Given and family names of many languages, for fictional people.

Names in other than Latin letters are written as "native/romanized"; handles use the romanized form. If family names
depend on the gender, women and men have separate entries.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """
    Names of one language.

    countries
        ISO 3166 alpha-2 codes, each with its share: "ES3 MX2".
    given, family
        Separated by spaces.
    schools
        Fictional affiliations, separated by "|".
    share
        Weight of the language in the community, relative to the others.
    family_first
        Whether the family name comes first.
    joined
        Whether family and given name are written without a space.
    """

    countries: str
    given: str
    family: str
    schools: str = ""
    share: float = 1.0
    family_first: bool = False
    joined: bool = False


LATIN = (
    Language(
        "US5 GB3 CA2 AU2 NZ1 IE1",
        "Alice Benjamin Charlotte Daniel Emily Finn Grace Henry Isla Jack Katie Liam Maya Noah Olivia Ruby Samuel Zoe",
        "Anderson Baker Campbell Doyle Evans Fletcher Graham Harris Kelly Marsh Murphy O'Brien Porter Reid "
        "Turner Walker",
        share=5,
    ),
    Language(
        "MX3 ES3 AR2 CO2 PE1 CL1 CU1",
        "Alejandro Beatriz Camila Diego Elena Fernando Inés Joaquín Lucía Mateo Natalia Óscar Paula Ramón Sofía Tomás",
        "Álvarez Castañeda Domínguez Fernández Gutiérrez Ibáñez López Muñoz Núñez Peña Quiñones Ríos Suárez "
        "Vásquez Zúñiga",
        "Universidad del Faro|Instituto Mar de Plata|Colegio Tres Puentes",
        share=3.5,
    ),
    Language(
        "BR5 PT1 AO1",
        "Ana Antônio Beatriz Caio Eduardo Flávia Gonçalo Inês João Luísa Márcio Thaís Vinícius",
        "Almeida Araújo Barbosa Carvalho Conceição Falcão Gouveia Guimarães Magalhães Nóbrega Pereira Simões Teixeira",
        "Universidade do Farol|Escola Porto Azul",
        share=3,
    ),
    Language(
        "FR4 BE1 CA1 CI1 SN1",
        "Aurélie Benoît Camille Élodie François Gaëlle Hélène Jérôme Léa Maël Noémie Océane Rémi Théo",
        "Bélanger Chevalier Delacroix Fournier Garçon Lefèvre Mercier Noël Perrault Rivière Rousseau Sénéchal Vasseur",
        "École des Deux Phares|Université de Port-Blanc",
        share=2.5,
    ),
    Language(
        "DE5 AT1 CH1",
        "Anja Björn Clara Elias Friederike Götz Hannah Jörg Käthe Lukas Marlene Nils Sören Ulrike",
        "Bäcker Engelhardt Fröhlich Großmann Hübner Jäger Köhler Lindemann Möller Pfeiffer Schröder Stöcker "
        "Weiß Zöllner",
        "Hochschule Am Alten Hafen|Technische Universität Sandau",
        share=2.5,
    ),
    Language(
        "PL1",
        "Agnieszka Bartłomiej Elżbieta Grzegorz Jędrzej Łukasz Małgorzata Paweł Stanisław Zofia Żaneta",
        "Bąk Gołąb Kaczmarek Kołodziej Król Mazur Nowak Pająk Sikora Wójcik Wróbel Zając",
        "Politechnika Bursztynowa",
        share=2.5,
    ),
    Language(
        "CZ2 SK1",
        "Bořek Dušan Jiří Kryštof Matěj Ondřej Přemysl Řehoř",
        "Čermák Dvořák Hájek Jelínek Kovář Němec Růžička Šťastný",
    ),
    Language(
        "HU1",
        "Ágnes Balázs Csilla Dénes Erzsébet Gergő Lőrinc Tünde Zsófia",
        "Bíró Fülöp Gál Juhász Kőszegi Ördög Szűcs Tóth Vörös",
        family_first=True,
    ),
    Language(
        "RO3 MD1",
        "Andreea Bogdan Ciprian Ionuț Mădălina Răzvan Ștefan Tudor",
        "Bălan Ciobanu Dănilă Moraru Năstase Rusu Șerban Țurcanu",
    ),
    Language(
        "TR1",
        "Ayşe Barış Çağla Doğan Emre Gülşen İbrahim Özge Şebnem Umut",
        "Aydın Çelik Demirtaş Güneş Kılıç Öztürk Şahin Yıldız",
        "Deniz Feneri Üniversitesi",
        share=1.5,
    ),
    Language(
        "VN1",
        "Ánh Bảo Đạt Đức Hạnh Hiếu Hương Khánh Linh Minh Ngọc Phúc Quỳnh Thảo Tuấn",
        "Bùi Đặng Đỗ Hoàng Huỳnh Lê Nguyễn Phạm Trần Vũ",
        "Trường Hải Đăng",
        share=2.5,
        family_first=True,
    ),
    Language(
        "SE1",
        "Åsa Björn Gösta Hjördis Kåre Märta Östen",
        "Ångström Bergström Dahlgren Ekström Lindqvist Nygård Sjöberg",
        "Fyrhavns Tekniska Skola",
    ),
    Language("NO1 DK1", "Bjørn Håkon Ingrid Jørgen Liv Øystein Søren", "Bråthen Dahl Høgh Kjær Lønning Østby"),
    Language("FI1", "Aino Eero Päivi Sämpsä Väinö", "Hämäläinen Järvinen Lehtonen Mäkelä Pöyry", share=0.8),
    Language(
        "HR2 SI1 BA1",
        "Ana Boško Dražen Goran Jadranka Luka Nikša Željka",
        "Babić Đurić Horvat Jurišić Knežević Kovačić Šimić Žagar",
    ),
    Language("EE1", "Jüri Maarja Õie Tõnu Ülle", "Kõiv Lepik Mägi Pärn Tamm", share=0.7),
    Language("LV1", "Jānis Kārlis Mārtiņš Ņikita Pēteris", "Ābols Bērziņš Kalniņš Ozoliņš", share=0.7),
    Language(
        "ID1",
        "Agus Ayu Bayu Dewi Eka Fitri Gita Indra Putri Rizky Sari Wahyu",
        "Hidayat Kusuma Nugroho Pratama Santoso Setiawan Wibowo Wijaya",
        "Institut Mercusuar",
        share=2.5,
    ),
    Language(
        "NG1",
        "Adébáyọ̀ Chinedu Fọláṣadé Ìbídùn Ngozi Olúwaṣeun Tèmítọ́pẹ́",
        "Adéyẹmí Balógun Eze Nwosu Ògúnlẹ́yẹ Okonkwo",
        "Lagoon Institute of Science",
        share=1.5,
    ),
    Language("GH1", "Abena Akosua Kofi Kwame Yaw", "Asante Boateng Mensah Owusu", share=0.7),
    Language(
        "KE2 TZ1 UG1",
        "Amani Baraka Faraja Juma Neema Upendo Wanjiru Zawadi",
        "Kamau Kiprono Mwangi Njoroge Ochieng Otieno Wafula",
        "Coral Coast University",
        share=1.2,
    ),
)

NATIVE = (
    Language(
        "RU6 KZ1 BY1 LV1",
        "Алексей/aleksey Артём/artyom Дмитрий/dmitry Егор/egor Илья/ilya Кирилл/kirill Максим/maxim "
        "Пётр/pyotr Семён/semyon Юрий/yury",
        "Белов/belov Волков/volkov Гусев/gusev Ершов/ershov Жуков/zhukov Зайцев/zaytsev Лебедев/lebedev "
        "Орлов/orlov Соболев/sobolev "
        "Тихонов/tikhonov Шубин/shubin",
        "Маячный университет|Лицей «Северный мол»",
        share=3,
    ),
    Language(
        "RU4 KZ1 BY1",
        "Анастасия/nastya Дарья/darya Екатерина/katya Ксения/ksenia Любовь/lyuba Мария/maria Полина/polina Юлия/yulia",
        "Белова/belova Волкова/volkova Гусева/guseva Ершова/ershova Зайцева/zaytseva Лебедева/lebedeva "
        "Орлова/orlova Соболева/soboleva",
        "Маячный университет|Лицей «Северный мол»",
        share=1.5,
    ),
    Language(
        "UA1",
        "Богдан/bohdan Ганна/hanna Єва/yeva Ігор/ihor Катерина/kateryna Леся/lesya Матвій/matviy "
        "Олексій/oleksiy Соломія/solomiya Тарас/taras",
        "Бондаренко/bondarenko Гончар/honchar Ковальчук/kovalchuk Мельник/melnyk Ткаченко/tkachenko "
        "Швець/shvets Яременко/yaremenko",
        "Політехніка «Бурштин»",
        share=2,
    ),
    Language(
        "BG1",
        "Борислав/borislav Васил/vasil Георги/georgi Йордан/yordan Красимир/krasimir Стоян/stoyan",
        "Ангелов/angelov Василев/vasilev Дочев/dochev Колев/kolev Тодоров/todorov Янков/yankov",
    ),
    Language(
        "RS3 ME1",
        "Бранко/branko Вук/vuk Душан/dusan Јелена/jelena Љубица/ljubica Милица/milica Немања/nemanja Ђорђе/djordje",
        "Ђукић/djukic Јовановић/jovanovic Лазић/lazic Николић/nikolic Павловић/pavlovic Стојановић/stojanovic "
        "Тадић/tadic",
    ),
    Language(
        "MN1",
        "Бат-Эрдэнэ/bat Мөнхзул/munkhzul Оюунчимэг/oyun Тэмүүлэн/temuulen Өнөболд/unobold",
        "Ганбаатарын/ganbaatar Дорж/dorj Сүхийн/sukh",
        family_first=True,
        share=0.6,
    ),
    Language(
        "GR4 CY1",
        "Αλέξανδρος/alexandros Γιώργος/giorgos Δημήτρης/dimitris Κώστας/kostas Μιχάλης/michalis Νίκος/nikos "
        "Στέφανος/stefanos",
        "Αγγελίδης/angelidis Βασιλείου/vasileiou Γεωργίου/georgiou Ιωάννου/ioannou Καραγιάννης/karagiannis "
        "Νικολάου/nikolaou Χατζής/chatzis",
        "Πολυτεχνείο Φάρου",
        share=1.2,
    ),
    Language(
        "GR4 CY1",
        "Αθηνά/athina Βασιλική/vasiliki Ελένη/eleni Ζωή/zoi Κατερίνα/katerina Μαρία/maria",
        "Βασιλείου/vasileiou Γεωργίου/georgiou Ιωάννου/ioannou Νικολάου/nikolaou Παπαδοπούλου/papadopoulou "
        "Χρήστου/christou",
        share=0.8,
    ),
    Language(
        "GE1",
        "ანა/ana გიორგი/giorgi დავითი/daviti ეკა/eka ლაშა/lasha ნინო/nino თამარი/tamari ირაკლი/irakli",
        "ბერიძე/beridze გელაშვილი/gelashvili კაპანაძე/kapanadze ლომიძე/lomidze მაისურაძე/maisuradze წიკლაური/tsiklauri",
        share=1.2,
    ),
    Language(
        "AM1",
        "Անի/ani Արամ/aram Գոռ/gor Լիլիթ/lilit Հայկ/hayk Նարե/nare Տիգրան/tigran",
        "Գրիգորյան/grigoryan Հակոբյան/hakobyan Մկրտչյան/mkrtchyan Պետրոսյան/petrosyan Սարգսյան/sargsyan "
        "Վարդանյան/vardanyan",
        share=1.2,
    ),
    Language(
        "EG3 JO1 MA1 SA1 TN1 SY1",
        "أحمد/ahmad أمينة/amina حسن/hasan خالد/khaled رانية/rania سلمى/salma طارق/tarek ليلى/layla "
        "مريم/maryam يوسف/yousef",
        "الحداد/alhaddad الخطيب/alkhatib الشامي/alshami الصياد/alsayyad المصري/almasri النجار/alnajjar "
        "بدران/badran قاسم/qasem",
        "معهد المنارة",
        share=3,
    ),
    Language(
        "IR1",
        "آرش/arash بهار/bahar پویا/pouya ژاله/zhaleh سینا/sina شیرین/shirin کاوه/kaveh مهسا/mahsa",
        "احمدی/ahmadi تهرانی/tehrani جعفری/jafari رضایی/rezaei کریمی/karimi گلزار/golzar نوری/noori",
        "دانشگاه فانوس",
        share=2.2,
    ),
    Language(
        "PK1",
        "عائشہ/ayesha بلال/bilal حمزہ/hamza زینب/zainab فاطمہ/fatima",
        "بھٹی/bhatti چوہدری/chaudhry قریشی/qureshi ملک/malik",
        share=1,
    ),
    Language(
        "IL1",
        "אורי/uri דנה/dana טליה/talia יונתן/yonatan מאיה/maya נועם/noam עידו/ido שירה/shira",
        "אלון/alon ברק/barak גולן/golan כרמי/karmi לביא/lavi מזרחי/mizrahi פרידמן/friedman שגיא/sagi",
        "מכון המגדלור",
        share=1.5,
    ),
    Language(
        "IN1",
        "अदिति/aditi अर्जुन/arjun ईशान/ishaan काव्या/kavya प्रिया/priya रोहन/rohan विक्रम/vikram स्नेहा/sneha",
        "कुलकर्णी/kulkarni गुप्ता/gupta जोशी/joshi त्रिवेदी/trivedi मिश्रा/mishra शर्मा/sharma सिन्हा/sinha",
        "दीपस्तंभ विद्यालय",
        share=3,
    ),
    Language(
        "NP1",
        "आशिष/aashish प्रकाश/prakash सरिता/sarita सुनिता/sunita",
        "अधिकारी/adhikari गुरुङ/gurung थापा/thapa श्रेष्ठ/shrestha",
    ),
    Language(
        "BD3 IN1",
        "অনিক/anik তানভীর/tanvir নাবিলা/nabila ফারহান/farhan মৌসুমি/moushumi রিয়া/riya",
        "আহমেদ/ahmed খান/khan চৌধুরী/chowdhury দাস/das সরকার/sarkar হোসেন/hossain",
        share=2,
    ),
    Language(
        "IN2 LK1",
        "அகிலா/akila அருண்/arun கவிதா/kavitha செல்வி/selvi பிரியா/priya முருகன்/murugan வேலன்/velan",
        "இளங்கோ/elango கண்ணன்/kannan சுந்தரம்/sundaram நடராஜன்/natarajan பாண்டியன்/pandian",
        "கலங்கரை கல்லூரி",
        share=1.6,
    ),
    Language("IN1", "అనిల్/anil కావ్య/kavya రవి/ravi లక్ష్మి/lakshmi సురేష్/suresh", "గౌడ్/goud నాయుడు/naidu రావు/rao రెడ్డి/reddy"),
    Language("LK1", "නිමල්/nimal සඳුනි/sanduni කසුන්/kasun", "පෙරේරා/perera සිල්වා/silva ජයසූරිය/jayasuriya", share=0.7),
    Language(
        "TH1",
        "กมล/kamon ชนิดา/chanida ธนา/thana นภา/napha พิมพ์/phim วิชัย/wichai ศิริ/siri อนันต์/anan",
        "แก้วมณี/kaewmanee จันทร์ดี/chandee ทองสุข/thongsuk บุญมี/boonmee ศรีสุข/srisuk",
        "วิทยาลัยประภาคาร",
        share=1.8,
    ),
    Language(
        "ET1",
        "ሀና/hana ሙሉ/mulu ሰላም/selam አበበ/abebe ዳዊት/dawit",
        "ሐይሌ/haile መኮንን/mekonnen ተስፋዬ/tesfaye ከበደ/kebede ገብሬ/gebre",
        share=1.2,
    ),
    Language(
        "CN1",
        "伟/wei 欣怡/xinyi 子轩/zixuan 明/ming 雨桐/yutong 浩然/haoran 思远/siyuan 静/jing 晓峰/xiaofeng 佳琪/jiaqi",
        "陈/chen 李/li 林/lin 刘/liu 孙/sun 王/wang 吴/wu 杨/yang 张/zhang 赵/zhao 欧阳/ouyang",
        "灯塔大学|海湾中学",
        share=4.5,
        family_first=True,
        joined=True,
    ),
    Language(
        "TW3 HK2",
        "雅婷/yating 家豪/jiahao 怡君/yijun 俊傑/junjie 詠晴/wingching 志遠/zhiyuan",
        "陳/chen 黃/huang 劉/liu 謝/hsieh 許/hsu 葉/yeh 蘇/su",
        "燈塔大學",
        share=1.6,
        family_first=True,
        joined=True,
    ),
    Language(
        "JP1",
        "葵/aoi さくら/sakura 健太/kenta 翔/sho ひかり/hikari 直樹/naoki 美咲/misaki 蓮/ren リナ/rina 悠真/yuma",
        "石川/ishikawa 井上/inoue 加藤/kato 小林/kobayashi 佐々木/sasaki 高橋/takahashi 中村/nakamura "
        "山本/yamamoto 渡辺/watanabe",
        "灯台大学|みなと工業高校",
        share=3.5,
        family_first=True,
    ),
    Language(
        "KR1",
        "민준/minjun 서연/seoyeon 지우/jiwoo 하은/haeun 도윤/doyun 수빈/subin 현우/hyunwoo 예린/yerin",
        "강/kang 김/kim 박/park 서/seo 윤/yoon 이/lee 정/jung 최/choi 한/han",
        "등대대학교",
        share=2.5,
        family_first=True,
        joined=True,
    ),
    Language("KH1", "ដារ៉ា/dara បុប្ផា/bopha សុខា/sokha", "ចាន់/chan សុខ/sok ហេង/heng", share=0.6, family_first=True),
)
