// Times the forward pass of an ONNX file by onnxruntime. Each line of standard input is
// "batch seconds"; the answer is a line of JSON with the median time of a pass in
// milliseconds and the first outputs.
//
//	node forward.js FILE THREADS SIZE…
//
// SIZE… are those of an example, such as 1 28 28.

const ort = require('onnxruntime-node');
const readline = require('readline');

const [file, threads, ...shape] = [process.argv[2], ...process.argv.slice(3).map(Number)];
const size = shape.reduce((a, b) => a * b, 1);

// The same numbers as input in forward.go.
function input(n) {
  const x = new Float32Array(n);
  for (let i = 0; i < n; i++) x[i] = (Math.imul(i, 2654435761) >>> 0) % 1000 / 1000;
  return x;
}

async function main() {
  const session = await ort.InferenceSession.create(file, {
    executionProviders: ['cpu'], intraOpNumThreads: threads, interOpNumThreads: 1,
    executionMode: 'sequential', graphOptimizationLevel: 'all',
  });
  console.log(JSON.stringify({ version: ort.env.versions.node }));
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [batch, seconds] = line.split(' ').map(Number);
    const x = new ort.Tensor('float32', input(batch * size), [batch, ...shape]);
    const feeds = { [session.inputNames[0]]: x };
    let out = await session.run(feeds);
    const took = [];
    const end = performance.now() + seconds * 1e3;
    do {
      const start = performance.now();
      out = await session.run(feeds);
      took.push(performance.now() - start);
    } while (performance.now() < end);
    took.sort((a, b) => a - b);
    const values = out[session.outputNames[0]].data;
    console.log(JSON.stringify({ ms: took[took.length >> 1], passes: took.length, out: Array.from(values.slice(0, 10)) }));
  }
}

main().catch((e) => { console.error(e); process.exit(1); });
