extension FixedWidthInteger {
    /// The bytes of the number, most significant first.
    @inlinable package var bigEndianBytes: [UInt8] {
        withUnsafeBytes(of: bigEndian) { Array($0) }
    }

    /// The bytes of the number, least significant first.
    @inlinable package var littleEndianBytes: [UInt8] {
        withUnsafeBytes(of: littleEndian) { Array($0) }
    }

    /// The number of these bytes, most significant first.
    @inlinable package init(bigEndianBytes bytes: some Collection<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }

    /// The number of these bytes, least significant first.
    @inlinable package init(littleEndianBytes bytes: some BidirectionalCollection<UInt8>) {
        self.init(bigEndianBytes: bytes.reversed())
    }
}
