import BackstitchSupport

/// The limits of one request and its answer.
public struct WireLimits: Sendable, Hashable {
    /// The most operations, look-ups, zones or tokens in one request.
    public var operations: Int
    /// The most bytes of a request's body.
    public var bytes: Int
    /// The most records in one page of changes.
    public var page: Int
    /// The most bytes of one record's fields as JSON, without assets.
    public var record: Int
    /// The most bytes of one asset.
    public var asset: Int
    /// The most bytes of an answer. A page of changes with a single commit may be larger, because a commit is never
    /// split.
    public var answer: Int

    /// Creates limits from all their parts.
    public init(operations: Int, bytes: Int, page: Int, record: Int, asset: Int, answer: Int = 4_194_304) {
        self.operations = operations
        self.bytes = bytes
        self.page = page
        self.record = record
        self.asset = asset
        self.answer = answer
    }

    /// The limits without extensions (CloudKit Web Services Reference, property metrics).
    public static let standard = WireLimits(
        operations: 200, bytes: 8_388_608, page: 200, record: 1_048_576, asset: 52_428_800)

    /// The limits of this project's server for clients that ask for extensions.
    public static let extended = WireLimits(
        operations: 2000, bytes: 8_388_608, page: 2000, record: 1_048_576, asset: 52_428_800,
        answer: 8_388_608)

    /// The limits as the value of the header ``WireHeader/limits``.
    package var headerValue: String {
        "operations=\(operations); bytes=\(bytes); page=\(page); record=\(record); asset=\(asset); "
            + "answer=\(answer)"
    }

    /// Reads a header's value. Missing limits are those of ``standard``, and unknown names are skipped.
    ///
    /// - Returns: nil when a named limit is not a positive number.
    package init?(headerValue: String) {
        self = .standard
        for part in headerValue.split(atByte: UInt8(ascii: ";")) {
            let pair = part.split(atByte: UInt8(ascii: "="), maxSplits: 1).map { $0.trimmingSpaces }
            guard pair.count == 2 else { return nil }
            guard let number = Int(pair[1]), number > 0 else { return nil }
            switch pair[0] {
            case "operations": operations = number
            case "bytes": bytes = number
            case "page": page = number
            case "record": record = number
            case "asset": asset = number
            case "answer": answer = number
            default: continue
            }
        }
    }
}
