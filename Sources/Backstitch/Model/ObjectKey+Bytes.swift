extension ObjectKey {
    /// The bytes of keys one after another, 16 bytes each.
    package static func bytes(_ keys: ArraySlice<ObjectKey>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(keys.count * 16)
        for key in keys { key.withBytes { bytes.append(contentsOf: $0) } }
        return bytes
    }

    /// Reads keys of 16 bytes each; nil if the length is no multiple of 16.
    package static func keys(_ bytes: [UInt8]) -> [ObjectKey]? {
        guard bytes.count % 16 == 0 else { return nil }
        return bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 16).map {
                ObjectKey(bigEndianBytes: UnsafeRawBufferPointer(rebasing: bytes[$0..<$0 + 16]))
            }
        }
    }
}
