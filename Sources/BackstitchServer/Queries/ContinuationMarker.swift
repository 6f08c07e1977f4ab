import BackstitchSupport
import CloudWire
import Foundation

/// The place at which an answer to a query has ended, as the next request gives it back.
///
/// It is worth something for the same query of the same caller only, and nobody but this server can make one: so it
/// may say where in an index to go on without being looked at further.
struct ContinuationMarker {
    /// The query that it belongs to.
    struct Subject {
        private let parts: [[UInt8]]
        /// An answer in a zone of others may end at a record that its reader must not know of.
        fileprivate let isHidden: Bool

        /// - Throws: BAD_REQUEST for a query that has no JSON form, or one that is too large.
        init(_ request: RecordsQueryRequest, _ scope: RequestScope) throws(WireError) {
            let query = try QueryLimits.json(of: request.query)
            let zone: [UInt8] =
                try request.zoneID.map { id throws(WireError) in
                    [1] + Array(try scope.place(of: id).key.utf8)
                } ?? [request.zoneWide ? 2 : 0]
            parts = [
                SHA256.hash(data: query), zone, Array(scope.database.tenant.utf8),
                [UInt8(scope.database.scope.rawValue)], Array(scope.database.owner.utf8), Array(scope.user.utf8),
            ]
            isHidden = scope.database.scope == .shared
        }

        fileprivate func all(_ payload: [UInt8]) -> [[UInt8]] { [payload] + parts }
    }

    private static let version: UInt8 = 1
    private static let markLength = 18
    /// Bytes of a marker as text, at most: that of the longest keys and names is shorter.
    private static let longest = 8_192

    var position: QueryPosition

    init(_ position: QueryPosition) { self.position = position }

    /// The text: in base64 a version, key, zone and name with their lengths, and a mark. For a reader who may not see
    /// all of the zone, all but the mark is laid over with a stream that is made from it.
    func text(_ subject: Subject, _ signer: TokenSigner) -> String {
        var payload = [Self.version]
        for part in [position.key, Array(position.zone.utf8), Array(position.name.utf8)] {
            payload += UInt16(truncatingIfNeeded: part.count).bigEndianBytes + part
        }
        let mark = signer.mark(.continuation, subject.all(payload))
        if subject.isHidden { payload = Self.overlay(payload, mark, signer) }
        return Data(payload + mark).base64EncodedString()
    }

    /// Hides bytes, or shows those that were hidden. The mark depends on all that is hidden, so no stream comes twice
    /// for different bytes.
    private static func overlay(_ bytes: [UInt8], _ mark: some Collection<UInt8>, _ signer: TokenSigner) -> [UInt8] {
        var stream: [UInt8] = []
        while stream.count < bytes.count {
            let block = UInt64(stream.count).bigEndianBytes
            stream += signer.mark(.hiddenContinuation, [Array(mark), block], count: 32)
        }
        return zip(bytes, stream).map { $0 ^ $1 }
    }

    /// Reads a marker.
    ///
    /// - Throws: BAD_REQUEST when it is none of this server for this query.
    init(_ text: String, _ subject: Subject, _ signer: TokenSigner) throws(WireError) {
        guard text.utf8.count <= Self.longest, let data = Data(base64Encoded: text), data.count > Self.markLength else {
            throw WireError(.badRequest, "Invalid continuation format")
        }
        var payload = Array(data.dropLast(Self.markLength))
        if subject.isHidden { payload = Self.overlay(payload, data.suffix(Self.markLength), signer) }
        guard payload.first == Self.version,
            signer.isGenuine(data.suffix(Self.markLength), .continuation, subject.all(payload))
        else { throw WireError(.badRequest, "the continuationMarker is not of this query") }
        var rest = payload.dropFirst()
        func part() -> [UInt8] {
            let count = Int(UInt16(bigEndianBytes: rest.prefix(2)))
            defer { rest = rest.dropFirst(2 + count) }
            return Array(rest.dropFirst(2).prefix(count))
        }
        let key = part(), zone = part(), name = part()
        position = QueryPosition(
            key: key, zone: String(decoding: zone, as: UTF8.self), name: String(decoding: name, as: UTF8.self))
    }
}
