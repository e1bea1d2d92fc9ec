// The playground: bars of what was measured, for a task, data set, ε and n. Nothing is loaded or computed beyond this.
(() => {
  const root = document.getElementById("playground");
  if (!root || typeof PLAYGROUND === "undefined") return;
  if (!PLAYGROUND.tasks.length) {
    root.textContent = "This run scored none of these figures.";
    return;
  }
  const SVG = "http://www.w3.org/2000/svg";
  const chosen = {};
  const unique = values => [...new Set(values)];
  const ordered = values => unique(values).sort((a, b) => (a === "none") - (b === "none") || a - b);
  const level = value => (value === "none" ? "∞: no veil" : String(value));
  const number = value => Number(value).toLocaleString("en");

  const form = document.createElement("form");
  const said = document.createElement("p");
  said.className = "said";
  said.setAttribute("aria-live", "polite");
  const picture = document.createElement("div");
  root.replaceChildren(form, said, picture);

  const selects = Object.fromEntries(["task", "data", "ε", "n"].map(name => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.name = name;
    label.append(name === "ε" ? "ε of a record" : name === "n" ? "n, records" : name, select);
    form.append(label);
    select.addEventListener("change", () => { chosen[name] = select.value; refresh(); });
    return [name, select];
  }));

  function offer(name, values, write = String) {
    const select = selects[name];
    select.replaceChildren(...values.map(value => new Option(write(value), value)));
    const texts = values.map(String);
    if (!texts.includes(chosen[name])) chosen[name] = texts[Math.floor((texts.length - 1) / 2)];
    select.value = chosen[name];
    return values[texts.indexOf(chosen[name])];
  }

  function refresh() {
    const names = PLAYGROUND.tasks.map(task => task.task);
    if (!chosen.task) chosen.task = names[0];
    const task = PLAYGROUND.tasks[names.indexOf(offer("task", names))];
    const data = offer("data", unique(task.rows.map(row => row[0])), name => name.replaceAll("_", " "));
    const leaders = task === PLAYGROUND.tasks[0] ? PLAYGROUND.leaders.filter(row => row[0] === data) : [];
    const rows = task.rows.filter(row => row[0] === data);
    const epsilon = offer("ε", ordered([...rows, ...leaders].map(row => row[1])), level);
    const here = row => row[1] === epsilon;
    const n = offer("n", ordered([...rows.filter(here), ...leaders.filter(here)].map(row => row[2])), number);
    const found = rows.filter(row => here(row) && row[2] === n);
    found.sort((a, b) => (task.less ? a[4] - b[4] : b[4] - a[4]));
    say(task, found, leaders.find(row => here(row) && row[2] === n));
    picture.replaceChildren(...(found.length ? [draw(task, found)] : []));
  }

  function say(task, found, leader) {
    const parts = [];
    if (found.length) {
      const [best, ...others] = found;
      const close = others.filter(row => (task.less ? row[5] <= best[6] : row[6] >= best[5])).map(row => row[3]);
      parts.push(`Best on average: ${best[3]}, ${task.measure} ${best[4]}.`);
      if (close.length) parts.push(`Their intervals overlap with it: ${close.join(", ")}.`);
    }
    if (leader) {
      parts.push(leader[3]
        ? `Surely best, on the same trials: ${leader[3]}, by ${leader[5]} (${leader[6]} to ${leader[7]}).`
        : "On the same trials, none is surely best.");
    }
    said.textContent = parts.join(" ");
  }

  function element(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function draw(task, found) {
    const [left, width, line] = [200, 700, 30];
    const height = found.length * line + 30;
    const low = Math.min(0, ...found.map(row => Math.max(row[4], -1)));
    const high = Math.max(...found.map(row => row[4])) * 1.25 || 1;
    const x = value => left + (Math.min(Math.max(value, low), high) - low) / (high - low) * (width - left - 60);
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": said.textContent });
    found.forEach((row, i) => {
      const middle = i * line + line / 2;
      const group = element("g", { class: i ? "" : "best" });
      group.append(
        element("text", { class: "name", x: left - 8, y: middle + 4, "text-anchor": "end" }, row[3]),
        element("rect", {
          x: Math.min(x(0), x(row[4])), y: middle - 8, width: Math.abs(x(row[4]) - x(0)), height: 16,
          fill: i ? "#56b4e9" : "#0072b2",
        }),
        element("line", { x1: x(row[5]), x2: x(row[6]), y1: middle, y2: middle, stroke: "#d55e00", "stroke-width": 2 }),
        element("text", { x: x(Math.max(row[4], row[6])) + 6, y: middle + 4 }, String(row[4])),
      );
      svg.append(group);
    });
    svg.append(
      element("line", { class: "axis", x1: x(0), x2: x(0), y1: 0, y2: height - 26 }),
      element("text", { x: left, y: height - 6 }, `${task.measure}, mean and 95 % interval over trials`),
    );
    return svg;
  }

  refresh();
})();
