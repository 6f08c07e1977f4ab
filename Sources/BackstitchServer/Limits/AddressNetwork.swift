import BackstitchSupport
import NIOCore

/// The machines with the same leading bits in their addresses.
struct AddressNetwork: Sendable, Hashable {
    private let address: MachineAddress
    private let prefix: Int

    /// Reads an address, or an address and the length of its prefix: `10.0.0.0/8`.
    init?(_ text: String) {
        let parts = text.split(atByte: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = MachineAddress(String(first)) else { return nil }
        self.address = address
        guard parts.count == 2 else {
            prefix = address.bytes.count * 8
            return
        }
        guard let prefix = Int(parts[1]), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            (0...address.bytes.count * 8).contains(prefix)
        else { return nil }
        self.prefix = prefix
    }

    func contains(_ other: MachineAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        let whole = prefix / 8, rest = prefix % 8
        guard other.bytes.prefix(whole) == address.bytes.prefix(whole) else { return false }
        return rest == 0 || (other.bytes[whole] ^ address.bytes[whole]) >> (8 - rest) == 0
    }
}
