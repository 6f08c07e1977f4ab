import Backstitch
import BackstitchServer
import BackstitchSync
import BackstitchTestKit

/// A mutable place for one value.
final class Box<Value> {
    var value: Value

    init(_ value: Value) { self.value = value }
}
