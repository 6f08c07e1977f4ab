import BackstitchSupport
import BackstitchSync
import Foundation

/// Gives a process the keys of its machine, and notes the keys that it asked for in vain.
final class SimulatedKeys: EncryptionKeyProvider {
    private let machine: Locked<MachineKeys>
    private let missed = Locked<Set<String>>([])

    init(_ machine: Locked<MachineKeys>) { self.machine = machine }

    /// The name of a key. Its length matters: an envelope then has six bytes before the value, which make exactly eight
    /// characters of base64.
    static func id(_ number: Int) -> String { "key\(number)" }

    /// The key of a number, the same on each machine.
    static func key(_ number: Int) throws -> EncryptionKey {
        try EncryptionKey(id: id(number), bytes: Data(repeating: UInt8(number), count: 32))
    }

    /// Whether the process last asked for this key in vain.
    func wasMissed(_ id: String) -> Bool { missed.withLock { $0.contains(id) } }

    func currentKey(inZone zone: String) throws -> EncryptionKey { try Self.key(machine.withLock { $0.current }) }

    func key(withID id: String, inZone zone: String) throws -> EncryptionKey? {
        guard let number = machine.withLock({ $0.known.first { Self.id($0) == id } }) else {
            missed.withLock { _ = $0.insert(id) }
            return nil
        }
        missed.withLock { _ = $0.remove(id) }
        return try Self.key(number)
    }

    func replacedKeyIDs(inZone zone: String) -> Set<String> {
        Set((1..<machine.withLock { $0.current }).map(Self.id))
    }
}
