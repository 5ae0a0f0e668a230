for (const formula of document.querySelectorAll(".arithmatex")) {
  const tex = formula.textContent.trim().slice(2, -2);
  katex.render(tex, formula, { displayMode: formula.tagName === "DIV", throwOnError: false });
}
