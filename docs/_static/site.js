// Verdicts by kind, claims that are linked to inside a fold, and commands to copy. Nothing is loaded.
addEventListener("DOMContentLoaded", () => {
  const buttons = [...document.querySelectorAll(".filters button")];
  const show = wanted => {
    document.querySelectorAll("table.claims tr[data-verdict]").forEach(row => {
      row.hidden = Boolean(wanted) && row.dataset.verdict !== wanted;
    });
    buttons.forEach(button => button.setAttribute("aria-pressed", String(button.dataset.show === wanted)));
    if (wanted) document.querySelectorAll("details:has(table.claims)").forEach(fold => { fold.open = true; });
  };
  buttons.forEach(button => button.addEventListener("click", () => show(button.dataset.show)));
  if (buttons.length) show("");

  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.hidden) show("");
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (target?.closest("details")) target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  unfold();

  document.querySelectorAll("div.highlight-console, div.highlight-python, div.highlight-bash").forEach(block => {
    const button = document.createElement("button");
    button.className = "copy";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      const text = block.querySelector("pre").innerText.replace(/\s+#\s.*$/gm, "");
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    });
    block.append(button);
  });
});
