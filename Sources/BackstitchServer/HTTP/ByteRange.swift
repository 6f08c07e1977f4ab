import BackstitchSupport
import CloudWire
import CoreMetrics
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The header `Range` with one range of bytes (RFC 9110 §14.2).
enum ByteRange: Equatable {
    case whole
    case part(ClosedRange<Int64>)
    case unsatisfiable

    /// Returns the bytes to send. Several ranges, other units and malformed ranges count as no range, as the RFC
    /// allows.
    static func read(_ header: String?, size: Int64) -> ByteRange {
        guard let header, header.begins(with: "bytes="), !header.utf8.contains(UInt8(ascii: ",")) else { return .whole }
        let parts = header.dropping("bytes=").split(atByte: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return .whole
        }
        switch (Int64(parts[0]), Int64(parts[1])) {
        case (let first?, let last?):
            guard first <= last else { return .whole }
            return first < size ? .part(first...min(last, size - 1)) : .unsatisfiable
        case (let first?, nil) where parts[1].isEmpty:
            return first < size ? .part(first...size - 1) : .unsatisfiable
        case (nil, let count?) where parts[0].isEmpty:
            return count > 0 && size > 0 ? .part(max(size - count, 0)...size - 1) : .unsatisfiable
        default: return .whole
        }
    }
}
