// node logits.js FILE.onnx IMAGES CHANNELS: runs a network of this package in
// onnxruntime and writes its logits. IMAGES and the output are little-endian
// float32, [N][CHANNELS][28][28] and [N][outputs].
//
// Needs: npm install --prefix DIR onnxruntime-node, and NODE_PATH=DIR/node_modules.
const fs = require('fs');
const ort = require('onnxruntime-node');

async function main() {
  const [model, input, channels] = process.argv.slice(2);
  const bytes = fs.readFileSync(input);
  const pixels = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const shape = [pixels.length / (channels * 28 * 28), Number(channels), 28, 28];
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1 });
  const { logits } = await session.run({ images: new ort.Tensor('float32', pixels, shape) });
  const out = logits.data;
  fs.writeSync(1, Buffer.from(out.buffer, out.byteOffset, out.byteLength));
}

main().catch((err) => {
  console.error(err.message);
  process.exit(1);
});
