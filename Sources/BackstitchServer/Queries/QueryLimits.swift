import CloudWire

/// The limits of one query. A query that examines too much, or takes too long, ends its answer early. The answer's
/// marker continues it.
enum QueryLimits {
    /// The maximum bytes of a query as JSON.
    static let bytes = 131_072
    /// Encodes a query as JSON.
    ///
    /// - Throws: BAD_REQUEST for a query without a JSON form, or one larger than ``bytes``.
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

    /// The maximum number of filters in a query.
    static let filters = 16
    /// The maximum number of fields to sort by.
    static let sorts = 3
    /// The maximum number of values in the list of a filter.
    static let values = 250
    /// The maximum number of different words in a filter.
    static let words = 32
    /// The elements or words of one field that an index keeps of a record. A record with more is examined for every
    /// value.
    static let parts = 64
    /// The elements of a list that an index examines to find them. A longer list counts as having too many.
    static let partsToLookAt = 1_024
    /// The same for the bytes of a text.
    static let bytesOfParts = 4_096
    /// The places for indexes in a zone. Callers without a user have half of them; see ``QueryPlaces``.
    static let places = 128
    /// The places for indexes of one type in a zone. Every change of such a record updates all of them.
    static let placesOfType = 64
    /// The places of one type for callers without a user. An index costs a push some 25 microseconds for each record.
    static let placesOfTypeForStrangers = 8
    /// The places taken by an index with an entry for each element of a list or word of a text.
    static let placesOfParts = 4
    /// The maximum number of index entries that one request writes in a zone, and the same for removals.
    ///
    /// The one writer of an embedded database needs some 50 ms to remove and to write this number, also in an index
    /// with millions of entries.
    static let entries = 5_000
    /// The maximum bytes of the keys of these entries.
    static let bytesOfEntries = 1 << 20
    /// The number of entries after which those of changing records are no longer counted.
    static let countedEntries = 20_000
    /// The maximum number of look-ups for removals in a zone that has indexes between dropped ones.
    static let lookUpsOfRemoval = 20_000
    /// The number of entries that ends one piece of the making of an index.
    static let entriesOfPiece = 4_000
    /// The bytes of records read at a time. The last record may exceed them.
    static let bytesOfPortion = 2 << 20
    /// The milliseconds without use after which an index gives its place to another one.
    ///
    /// Before that, it gives way only if its maker has more places than others.
    static let restBeforePlace: Int64 = 3_600_000
    /// The milliseconds without use after which an index is removed.
    static let restBeforeEnd: Int64 = 30 * 86_400_000
    /// The milliseconds between two notes of an index's use, so that few queries write.
    static let useInterval: Int64 = 600_000
    /// The maximum number of index pieces in one answer: the values of an `IN` times the zones.
    static let walks = 64
    /// The maximum number of records that one answer examines, whether they match or not.
    static let looks = 10_000
    /// The time limit for putting an answer together.
    static let time = Duration.seconds(2)
    /// The time that a request spends on making an index. After that the caller is told to come again.
    static let makingTime = Duration.seconds(5)
}
