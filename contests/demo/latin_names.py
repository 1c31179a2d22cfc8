"""Names written in Latin letters."""

from contests.demo.language import Language

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
