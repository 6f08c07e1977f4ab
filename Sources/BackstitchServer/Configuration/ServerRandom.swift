/// The server's source of chance: tokens, secrets, record names.
public protocol ServerRandom: Sendable {
    /// As many bytes as asked for, which nobody can guess.
    func bytes(_ count: Int) -> [UInt8]
}

extension ServerRandom {
    /// A version 4 UUID (RFC 9562) in capitals, as CloudKit names records.
    func uuid() -> String {
        var bytes = bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A positive number of 62 bits, never zero.
    func identifier() -> Int64 {
        let value = bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(value >> 2) | 1
    }
}
