import CloudWire

/// The ceilings of one query. One that looks at too much, or for too long, ends its answer early, with a marker from
/// which the next one goes on.
enum QueryLimits {
    /// Bytes of a query as JSON.
    static let bytes = 131_072
    /// A query as JSON.
    ///
    /// - Throws: BAD_REQUEST for one that has no JSON form, or is larger than ``bytes``.
    static func json(of query: RecordQuery) throws(WireError) -> [UInt8] {
        let json: [UInt8]
        do throws(WireCodingError) { json = try query.wireJSON() } catch {
            throw WireError(.badRequest, error.description)
        }
        guard json.count <= bytes else {
            throw WireError(
                .badRequest, "\(WireError.limitExceededPrefix): a query of \(json.count) bytes, at most \(bytes)")
        }
        return json
    }

    /// Filters of a query.
    static let filters = 16
    /// Fields to sort by.
    static let sorts = 3
    /// Values in the list of a filter.
    static let values = 250
    /// Different words in a filter.
    static let words = 32
    /// Elements of a list, and words of a text, that an index keeps of a record. One with more is looked at whatever
    /// element is asked for.
    static let parts = 64
    /// Elements of a list that an index looks at to find them; one with more counts as one with too many.
    static let partsToLookAt = 1_024
    /// The same for the bytes of a text.
    static let bytesOfParts = 4_096
    /// Places for indexes in a zone, of which callers without a user have half; see ``QueryPlaces``.
    static let places = 128
    /// Places for indexes of one type in a zone, each of which every change of a record of that type has to keep up.
    static let placesOfType = 64
    /// Those of them that callers without a user have. An index costs a push some 25 microseconds for each record.
    static let placesOfTypeForStrangers = 8
    /// Places of an index that has an entry for each element of a list, or word of a text.
    static let placesOfParts = 4
    /// Entries that one request writes into the indexes of a zone, and removes from them.
    static let entries = 20_000
    /// Entries after which a piece of an index that is being made ends.
    static let entriesOfPiece = 4_000
    /// Bytes of records that are read at a time; the last one of them may be larger.
    static let bytesOfPortion = 2 << 20
    /// Milliseconds for which an index that no query has used keeps its place when another one needs it, unless its
    /// maker has more than others.
    static let restBeforePlace: Int64 = 3_600_000
    /// Milliseconds after which an index that no query has used goes.
    static let restBeforeEnd: Int64 = 30 * 86_400_000
    /// How far a use is noted late, in milliseconds, so that not each query writes.
    static let useInterval: Int64 = 600_000
    /// Places of an index at which one answer begins to read: the values of an `IN` times the zones.
    static let walks = 64
    /// Records that an answer looks at, whether they fit or not.
    static let looks = 10_000
    /// The time in which an answer is put together.
    static let time = Duration.seconds(2)
    /// The time that a request spends on making an index before its caller is told to come again.
    static let makingTime = Duration.seconds(5)
}
