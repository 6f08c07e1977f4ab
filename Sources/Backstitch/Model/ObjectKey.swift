public import Foundation

/// The 128-bit key of an object: primary key in every database, record name on the wire.
public struct ObjectKey: Hashable, Comparable, Sendable {
    /// The first eight bytes, big-endian.
    public let high: UInt64
    /// The last eight bytes, big-endian.
    public let low: UInt64

    /// Makes a key from its two halves.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes the key with the bytes of a UUID.
    public init(_ uuid: UUID) {
        self = withUnsafeBytes(of: uuid.uuid) { ObjectKey(bigEndianBytes: $0) }
    }

    /// Makes a key from 16 bytes in network order.
    ///
    /// - Precondition: `bytes` holds at least 16 bytes.
    @inlinable
    public init(bigEndianBytes bytes: UnsafeRawBufferPointer) {
        high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// The key as a UUID.
    public var uuid: UUID {
        withBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Calls `body` with the key's 16 bytes in network order.
    @inlinable
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
    }

    /// Orders by the bytes: for UUIDs of version 7 this is the order of creation.
    public static func < (left: ObjectKey, right: ObjectKey) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// Hashes both halves, combined by XOR. In version 7 the low half is random, so this spreads well.
    public func hash(into hasher: inout Hasher) { hasher.combine(low ^ high) }
}
