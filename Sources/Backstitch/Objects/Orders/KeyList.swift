import Foundation

/// Keys in an order, as an attribute keeps them: 16 bytes each.
struct KeyList {
    let keys: [ObjectKey]

    init(_ keys: [ObjectKey]) { self.keys = keys }

    /// Takes the keys from an attribute's value; none if it holds no such list.
    init(_ value: Value) {
        guard case .data(let data) = value, data.count % 16 == 0 else {
            keys = []
            return
        }
        keys = data.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 16).map {
                ObjectKey(bigEndianBytes: UnsafeRawBufferPointer(rebasing: bytes[$0..<$0 + 16]))
            }
        }
    }

    /// Whether a value holds a list of at most 32 keys, or no list.
    static func isShort(_ value: Value) -> Bool {
        guard case .data(let data) = value else { return true }
        return data.count <= 32 * 16
    }

    /// The list as an attribute's value; null when it is empty.
    var value: Value {
        if keys.isEmpty { return .null }
        var data = Data(capacity: keys.count * 16)
        for key in keys {
            withUnsafeBytes(of: (key.high.bigEndian, key.low.bigEndian)) { data.append(contentsOf: $0) }
        }
        return .data(data)
    }
}
