// The pictures, by uPlot. Colours come from the page, so that light and dark need no second set.
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function faded(hex, alpha) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

function shownValue(spec, right) {
  if (right || spec.scale === "count") return (value) => (value === null ? "" : Math.round(value).toLocaleString("en"));
  return (value) => (value === null ? "" : `${(100 * value).toFixed(1)} %`);
}

// Bars of two series at one place stand side by side.
function barPaths(spec, number) {
  const bars = spec.series.filter((each) => each.style === "bars");
  const taken = (each, row) => (spec.columns[each.column][row] || 0) > 0;
  const rows = spec.columns[bars[0].column].map((_, row) => bars.filter((each) => taken(each, row)).length);
  if (Math.max(...rows) < 2) return uPlot.paths.bars({ size: [0.72, 48] });
  return uPlot.paths.bars({ size: [0.4, 24], align: number === 0 ? -1 : 1 });
}

function seriesOf(spec) {
  const x = Object.keys(spec.columns)[0];
  const data = [spec.columns[x]];
  const series = [{ label: x, value: (_, value) => (value === null ? "–" : spec.wholeX ? String(value) : value.toPrecision(3)) }];
  const bands = [];
  spec.series.forEach((each, number) => {
    const stroke = colour(`c${each.colour % 8}`);
    const bars = each.style === "bars";
    const show = shownValue(spec, each.right);
    data.push(spec.columns[each.column]);
    series.push({
      label: each.column, stroke, scale: each.right ? "right" : "y", width: bars ? 0 : 2,
      fill: bars ? faded(stroke, 0.8) : undefined, dash: each.style === "dashed" ? [6, 4] : undefined,
      paths: bars ? barPaths(spec, number) : undefined,
      points: { show: !bars && each.style !== "dashed" && spec.columns[x].length <= 30, size: 6, fill: stroke },
      value: (_, value) => (value === null || value === undefined ? "–" : show(value)),
    });
    if (!each.low) return;
    for (const name of [each.high, each.low]) {
      data.push(spec.columns[name]);
      series.push({ label: name, class: "u-band", scale: "y", stroke: "transparent", width: 0, points: { show: false } });
    }
    bands.push({ series: [series.length - 2, series.length - 1], fill: faded(stroke, 0.14) });
  });
  return { x, data, series, bands };
}

function axesOf(spec, x) {
  const axis = { stroke: colour("quiet"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 20 };
  const share = spec.scale === "share";
  const axes = [
    { ...axis, label: x, size: 28, labelSize: 18, gap: 4, grid: { show: false }, incrs: spec.wholeX ? [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000] : undefined },
    { ...axis, size: 48, values: (_, values) => values.map((value) => (share ? `${Math.round(100 * value)} %` : Number.isInteger(value) ? value : "")) },
  ];
  if (spec.right) axes.push({ ...axis, side: 1, scale: "right", size: 56, label: spec.right, grid: { show: false } });
  return axes;
}

// A dashed line at a place of the x axis, such as the current k.
function drawMark(spec) {
  return (plot) => {
    const [place, label] = spec.mark;
    const at = plot.valToPos(place, "x", true);
    const { left, top, width, height } = plot.bbox;
    if (at < left || at > left + width) return;
    const ctx = plot.ctx, ratio = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colour("ink");
    ctx.lineWidth = ratio;
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(at, top);
    ctx.lineTo(at, top + height);
    ctx.stroke();
    ctx.font = `600 ${12 * ratio}px system-ui, sans-serif`;
    const right = at + (ctx.measureText(label).width + 8 * ratio) < left + width;
    ctx.textAlign = right ? "left" : "right";
    ctx.fillText(label, at + (right ? 5 : -5) * ratio, top + 12 * ratio);
    ctx.restore();
  };
}

function drawChart(root, spec) {
  const { x, data, series, bands } = seriesOf(spec);
  const bars = spec.series.some((each) => each.style === "bars");
  const step = data[0].length > 1 ? data[0][1] - data[0][0] : 1;
  const plot = new uPlot({
    width: root.clientWidth, height: 250, series, bands, axes: axesOf(spec, x),
    scales: {
      x: { time: false, range: (_, low, high) => (bars ? [low - 0.6 * step, high + 0.6 * step] : [low, high === low ? low + 1 : high]) },
      y: { range: spec.scale === "share" ? [0, 1.02] : (_, low, high) => [0, Math.max(1, high * 1.08)] },
      right: { range: (_, low, high) => [0, high * 1.05 || 1] },
    },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
    legend: { live: true },
    hooks: { draw: spec.mark ? [drawMark(spec)] : [] },
  }, data, root);
  return plot;
}

function drawCharts(specs) {
  const places = [...document.querySelectorAll("[data-chart]")];
  if (typeof uPlot === "undefined") {
    for (const place of places) {
      place.classList.add("none");
      place.parentElement.querySelector("details").open = true;
    }
    return;
  }
  const plots = new Map();
  const draw = (place) => {
    plots.get(place)?.destroy();
    plots.set(place, drawChart(place, specs[place.dataset.chart]));
  };
  places.forEach(draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => places.forEach(draw));
  const widths = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const plot = plots.get(target);
      if (plot && target.clientWidth && plot.width !== target.clientWidth) plot.setSize({ width: target.clientWidth, height: 250 });
    }
  });
  places.forEach((place) => widths.observe(place));
}

function copyTables() {
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const rows = [...button.parentElement.querySelectorAll("tr")];
      const text = rows.map((row) => [...row.children].map((cell) => cell.textContent).join("\t")).join("\n");
      await copyText(text);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy the table"; }, 1500);
    });
  }
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { class: "skip" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
