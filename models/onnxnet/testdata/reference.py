"""reference.py OUT NAME...: networks of PyTorch as ONNX files, with what PyTorch computes.

For every NAME it writes OUT/NAME.onnx, as in training, OUT/NAME.eval.onnx, with batch
normalisation folded into convolutions where there is any, and OUT/NAME.json with
OUT/NAME.bin: input, logits in evaluation and in training, and of the loss ½|logits|² in
training the gradients, all of float64. Weights are made from a seed. Debian's
python3-torch 1.13 exports without further packages.
"""
import json
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Block(nn.Module):  # torchvision's BasicBlock
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.downsample = None
        if stride > 1 or cin != cout:
            self.downsample = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet18(nn.Module):  # torchvision's names and layout
    def __init__(self, widths=(64, 128, 256, 512), classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(3, widths[0], 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(widths[0])
        cin = widths[0]
        for i, w in enumerate(widths):
            setattr(self, f"layer{i+1}", nn.Sequential(Block(cin, w, 1 if i == 0 else 2), Block(w, w, 1)))
            cin = w
        self.fc = nn.Linear(cin, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5), nn.Sigmoid(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.LeakyReLU(0.1), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


class Inverted(nn.Module):  # of MobileNetV2
    def __init__(self, cin, cout, stride, expand):
        super().__init__()
        mid, layers = cin * expand, []
        if expand > 1:
            layers += [nn.Conv2d(cin, mid, 1, bias=False), nn.BatchNorm2d(mid), nn.ReLU6()]
        layers += [nn.Conv2d(mid, mid, 3, stride, 1, groups=mid, bias=False), nn.BatchNorm2d(mid), nn.ReLU6(),
                   nn.Conv2d(mid, cout, 1, bias=False), nn.BatchNorm2d(cout)]
        self.conv, self.add = nn.Sequential(*layers), stride == 1 and cin == cout

    def forward(self, x):
        return x + self.conv(x) if self.add else self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        layers = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU6()]
        cin = 32
        for t, c, n, s in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
            for i in range(n):
                layers.append(Inverted(cin, c, s if i == 0 else 1, t))
                cin = c
        layers += [nn.Conv2d(cin, 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.ReLU6()]
        self.features, self.classifier = nn.Sequential(*layers), nn.Linear(1280, classes)

    def forward(self, x):
        return self.classifier(self.features(x).mean([2, 3]))


class Layer(nn.Module):  # of an encoder, normalised before
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(n, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        a = torch.softmax(q @ k.transpose(-2, -1) / (c // self.heads) ** 0.5, -1)
        x = x + self.out((a @ v).transpose(1, 2).reshape(n, t, c))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Encoder(nn.Module):
    def __init__(self, tokens=6, width=16, heads=4, classes=3):
        super().__init__()
        self.first = nn.Parameter(torch.randn(1, 1, width))
        self.place = nn.Parameter(torch.randn(1, tokens + 1, width) * 0.1)
        self.layers = nn.Sequential(Layer(width, heads), Layer(width, heads))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, x):
        x = torch.cat([self.first + 0 * x[:, :1], x], 1) + self.place
        return self.head(self.norm(self.layers(x))[:, 0])


def mlp():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 12), nn.Sigmoid(), nn.Linear(12, 5))


NETWORKS = {
    "mlp": (mlp, (8,)),
    "lenet": (lenet, (1, 28, 28)),
    "small": (lambda: ResNet18((3, 4, 5, 6), 3), (3, 32, 32)),
    "encoder": (Encoder, (6, 16)),
    "resnet18": (ResNet18, (3, 32, 32)),
    "mobilenet": (MobileNetV2, (3, 64, 64)),
}


def write(out, name):
    torch.manual_seed(5)
    make, shape = NETWORKS[name]
    net = make()
    with torch.no_grad():
        for m in net.modules():
            if isinstance(m, (nn.BatchNorm2d, nn.LayerNorm)):
                m.weight.uniform_(0.5, 1.5)
                m.bias.uniform_(-0.2, 0.2)
            if isinstance(m, nn.BatchNorm2d):
                m.running_mean.uniform_(-0.2, 0.2)
                m.running_var.uniform_(0.5, 1.5)
    x = torch.randn(4, *shape)
    for suffix, mode in [("", torch.onnx.TrainingMode.TRAINING), (".eval", torch.onnx.TrainingMode.EVAL)]:
        net.train(suffix == "")
        torch.onnx.export(net, x, f"{out}/{name}{suffix}.onnx", training=mode, do_constant_folding=suffix != "", opset_version=17,
                          input_names=["x"], output_names=["logits"], dynamic_axes={"x": {0: "N"}, "logits": {0: "N"}})
    torch.manual_seed(5)  # the export in training has moved the statistics
    net.double()
    state = {k: v.clone() for k, v in net.state_dict().items()}
    x = x.double()
    net.eval()
    tensors = {"x": x, "evaluation": net(x)}
    net.load_state_dict(state)
    net.train()
    y = net(x)
    (0.5 * (y * y).sum()).backward()
    tensors["training"] = y
    for k, p in net.named_parameters():
        tensors["grad " + k] = p.grad
    index, at = {}, 0
    with open(f"{out}/{name}.bin", "wb") as f:
        for k, t in tensors.items():
            data = t.detach().contiguous().numpy().astype("<f8").tobytes()
            f.write(data)
            index[k] = [at, len(data) // 8]
            at += len(data) // 8
    with open(f"{out}/{name}.json", "w") as f:
        json.dump(index, f)


for network in sys.argv[2:]:
    write(sys.argv[1], network)
