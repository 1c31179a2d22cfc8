// Swagger UI has a dark theme of its own, which a class on the root element turns on.
import { isDark } from "theme-switch";

const follow = () => document.documentElement.classList.toggle("dark-mode", isDark());
document.addEventListener("themechange", follow);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow);
follow();
