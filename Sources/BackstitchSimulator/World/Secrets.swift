import Backstitch
import BackstitchSupport
import BackstitchSync
import CloudWire

/// The keys of a world, and old values that devices have sent again.
struct Secrets {
    /// The number of keys. The last one replaces the others.
    var newest = 1
    /// The keys of machines, by the names of their disks.
    var machines: [String: Locked<MachineKeys>] = [:]
    /// Values that a device has sent again after others had overwritten them.
    var undone: [(device: String, place: Ledger.Place, value: String)] = []
    /// The keys of the shared zone used in sent values, by name.
    var ofZone: [String: EncryptionKey] = [:]
    /// The share identities of users.
    var identities: [String: ShareIdentity] = [:]
}
