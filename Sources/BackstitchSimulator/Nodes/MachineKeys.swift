import BackstitchSupport
import BackstitchSync

/// The keys that a machine has been given, of those of its world, which are numbered. They are on its disk: a crash or
/// a power cut takes none of them.
struct MachineKeys: Sendable {
    /// The numbers of those that are here.
    var known: ClosedRange<Int>
    /// The one with which values are encrypted. It replaces all before it.
    var current: Int
}
