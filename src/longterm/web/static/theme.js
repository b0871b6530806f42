// @ts-check
/** Sets the theme that was chosen before anything is drawn: modules run later, and it would flash. */
{
  const chosen = localStorage.getItem("longterm-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
