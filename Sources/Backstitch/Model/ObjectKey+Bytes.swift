extension ObjectKey {
    /// Keys side by side, 16 bytes each.
    package static func bytes(_ keys: ArraySlice<ObjectKey>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(keys.count * 16)
        for key in keys { key.withBytes { bytes.append(contentsOf: $0) } }
        return bytes
    }

    /// The keys that lie side by side; nil when the bytes do not come out even.
    package static func keys(_ bytes: [UInt8]) -> [ObjectKey]? {
        guard bytes.count % 16 == 0 else { return nil }
        return bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 16).map {
                ObjectKey(bigEndianBytes: UnsafeRawBufferPointer(rebasing: bytes[$0..<$0 + 16]))
            }
        }
    }
}
