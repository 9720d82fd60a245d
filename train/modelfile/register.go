package modelfile

import (
	"hinge/models/catalog"
	"hinge/symbolic/model"
)

// Register gives a network of one's own a name, which model files can then have as the
// "model" of a predicate: a program registers it before it reads any,
//
//	func main() {
//		modelfile.Register("attention", func(c catalog.Config, shape []int) (nn.Definition[float32], []int, error) {
//			return func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node { … }, shape, nil
//		})
//		command.Main(modelfile.Task{})
//	}
//
// The keys layers, widths and dropout of the description are fields of c. A name that is
// taken panics.
func Register(name string, kind catalog.Kind[float32]) {
	catalog.Register(name, kind)
	model.Networks = append(model.Networks, name)
}
