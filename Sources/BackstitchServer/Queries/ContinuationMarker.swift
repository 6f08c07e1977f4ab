import BackstitchSupport
import CloudWire
import Foundation

/// The end of a query's answer. The next request sends it back, to continue from there.
///
/// Only this server can make one, and it is valid only for the same query of the same caller. So the place in it needs
/// no further checks.
struct ContinuationMarker {
    /// The query of a marker, and its caller.
    struct Subject {
        private let parts: [[UInt8]]
        /// Whether the payload is hidden. In the shared database, an answer may end at a record hidden from the caller.
        fileprivate let isHidden: Bool

        /// Takes the query, the zone and the caller of a request.
        ///
        /// - Throws: BAD_REQUEST for a query without a JSON form, or one that is too large.
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
    /// The maximum bytes of a marker as text. Even the longest keys and names give a shorter one.
    private static let longest = 8_192

    var position: QueryPosition

    init(_ position: QueryPosition) { self.position = position }

    /// The marker as base64 text: a version, then key, zone and name with their lengths, then a mark.
    ///
    /// In the shared database, all bytes except the mark are encrypted with a stream made from the mark.
    func text(_ subject: Subject, _ signer: TokenSigner) -> String {
        var payload = [Self.version]
        for part in [position.key, Array(position.zone.utf8), Array(position.name.utf8)] {
            payload += UInt16(truncatingIfNeeded: part.count).bigEndianBytes + part
        }
        let mark = signer.mark(.continuation, subject.all(payload))
        if subject.isHidden { payload = Self.overlay(payload, mark, signer) }
        return Data(payload + mark).base64EncodedString()
    }

    /// Hides bytes, or shows hidden ones. The mark depends on all hidden bytes, so different bytes never get the same
    /// stream.
    private static func overlay(_ bytes: [UInt8], _ mark: some Collection<UInt8>, _ signer: TokenSigner) -> [UInt8] {
        var stream: [UInt8] = []
        while stream.count < bytes.count {
            let block = UInt64(stream.count).bigEndianBytes
            stream += signer.mark(.hiddenContinuation, [Array(mark), block], count: 32)
        }
        return zip(bytes, stream).map { $0 ^ $1 }
    }

    /// Reads a marker, and checks its mark.
    ///
    /// - Throws: BAD_REQUEST if it is not a marker of this server for this query.
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
