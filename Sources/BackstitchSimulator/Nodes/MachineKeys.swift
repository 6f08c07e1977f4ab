import BackstitchSupport
import BackstitchSync

/// The keys that a machine has been given. The keys of a world are numbered. They are on the machine's disk: a crash or
/// a power cut takes none of them.
struct MachineKeys: Sendable {
    /// The numbers of the keys on this machine.
    var known: ClosedRange<Int>
    /// The key for encryption. It replaces all earlier keys.
    var current: Int
}
