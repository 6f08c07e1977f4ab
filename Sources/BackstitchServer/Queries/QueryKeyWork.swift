import BackstitchSupport
import CloudWire

/// The work of one request on the entries of its records in the indexes of queries: reading fields, and finding the
/// words and elements in them.
///
/// Others wait while a transaction does this work, so it does only a part of it. If there is more, it collects the
/// records and is undone. The work is done outside, and the request is carried out again with the results.
final class QueryKeyWork: Sendable {
    /// Undoes a transaction with too much work.
    struct TooMuch: Error {}

    /// The results for a record.
    fileprivate struct Known: Sendable {
        /// The fields as stored. The results are of no use for other fields.
        var bytes: [UInt8]
        var values: [String: WireValue?]
        /// The words and elements of the app's own fields.
        var parts = QueryIndex.KnownParts()
    }

    /// A record of the request.
    fileprivate struct Place: Hashable {
        var zoneID: Int64
        var name: ByteText
    }

    fileprivate struct State {
        var known: [Place: Known] = [:]
        var waiting: [(place: Place, record: StoredRecord, indexes: [StoredQueryIndex])] = []
        /// The work of the present transaction, in bytes.
        var spent = 0
    }

    /// The work that a transaction does, in bytes of fields to read and of texts to split. A server reads some 20 bytes
    /// in a microsecond.
    static let usualLimit = 256 << 10
    /// The work for an element of a list, in bytes.
    static let workOfElement = 16
    /// How often a request is carried out, if others change its records in between.
    private static let turns = 4

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int = QueryKeyWork.usualLimit) { self.limit = limit }

    /// The work done by the present transaction, in bytes.
    var spent: Int { state.withLock { $0.spent } }

    /// Carries out a write, again after each part of the work.
    ///
    /// - Throws: TRY_AGAIN_LATER if others change the records all the time; otherwise the error of the write.
    func carryOut<Value: Sendable>(
        on runner: any WorkRunner, _ write: () async throws -> Value
    ) async throws -> Value {
        for _ in 0..<Self.turns {
            do { return try await write() } catch is TooMuch { try await runner.run { try self.workOff() } }
        }
        throw WireError(.tryAgainLater, "others are changing the same records", retryAfter: 1)
    }

    /// Begins a transaction: it has done no work yet.
    func begin() {
        state.withLock { state in
            state.spent = 0
            state.waiting = []
        }
    }

    /// Notes the values of a record's fields, so they are not read again.
    ///
    /// - Parameter bytes: The same fields as stored.
    func note(_ name: String, of zone: StoredZone, _ bytes: [UInt8], _ values: [String: WireValue?]) {
        let place = Place(zoneID: zone.zoneID, name: ByteText(name))
        state.withLock { state in
            if state.known[place]?.bytes != bytes { state.known[place] = Known(bytes: bytes, values: values) }
        }
    }

    /// The keys of a live record's entries, for each index; nil if the record waits for work outside the transaction.
    /// Then ``requireAll()`` throws.
    ///
    /// - Parameter indexes: The indexes of the record's type.
    func keys(
        of record: StoredRecord, in zone: StoredZone, for indexes: [StoredQueryIndex]
    ) throws -> [[[UInt8]]]? {
        let place = Place(zoneID: zone.zoneID, name: ByteText(record.name))
        return try state.withLock { state in
            guard var known = try state.read(record, at: place, for: indexes, limit),
                state.pay(record, known, indexes, limit)
            else {
                state.waiting.append((place, record, indexes))
                return nil
            }
            return indexes.map { $0.index.keys(of: record, known.values, &known.parts) }
        }
    }

    /// Ends a transaction that has left out records.
    ///
    /// - Throws: ``TooMuch``.
    func requireAll() throws(TooMuch) {
        guard state.withLock({ $0.waiting.isEmpty }) else { throw TooMuch() }
    }

    /// Does the work of the records that wait.
    private func workOff() throws {
        try state.withLock { state in
            for (place, record, indexes) in state.waiting {
                guard var known = try state.read(record, at: place, for: indexes, .max) else { continue }
                for index in indexes { _ = index.index.keys(of: record, known.values, &known.parts) }
                // Fields of the system, like the time of the change, differ when the request is carried out again.
                known.parts = known.parts.filter { !$0.key.field.isSystem }
                state.known[place] = known
            }
            state.waiting = []
        }
    }
}

extension QueryKeyWork.State {
    /// The known results for a record, or new ones with its fields; nil if reading them is too much work.
    fileprivate mutating func read(
        _ record: StoredRecord, at place: QueryKeyWork.Place, for indexes: [StoredQueryIndex], _ limit: Int
    ) throws -> QueryKeyWork.Known? {
        if let found = known[place], found.bytes == record.fields { return found }
        guard indexes.contains(where: { $0.index.needsFields }) else {
            return QueryKeyWork.Known(bytes: record.fields, values: [:])
        }
        guard spend(record.fields.count, limit) else { return nil }
        return QueryKeyWork.Known(bytes: record.fields, values: try WireRecord.Fields(json: record.fields).values)
    }

    /// Spends the work for the words and elements that are not known; false if it is too much.
    fileprivate mutating func pay(
        _ record: StoredRecord, _ known: QueryKeyWork.Known, _ indexes: [StoredQueryIndex], _ limit: Int
    ) -> Bool {
        var work = 0
        var seen: Set<QueryIndex.Component> = []
        for index in indexes {
            for component in index.index.components
            where component.part != .value && known.parts[component] == nil && seen.insert(component).inserted {
                work += component.work(record, known.values)
            }
        }
        return spend(work, limit)
    }

    private mutating func spend(_ work: Int, _ limit: Int) -> Bool {
        // A single record may need more than all of the limit, so it is done outside.
        guard work == 0 || spent + work <= limit else { return false }
        spent += work
        return true
    }
}

extension QueryIndex.Component {
    /// The work to find the words or elements of a record, in bytes.
    fileprivate func work(_ record: StoredRecord, _ fields: [String: WireValue?]) -> Int {
        guard let value = field.value(record, fields) else { return 0 }
        if let text = value.text { return text.utf8.count > QueryLimits.bytesOfParts ? 0 : text.utf8.count }
        return value.elementCount > QueryLimits.partsToLookAt ? 0 : value.elementCount * QueryKeyWork.workOfElement
    }
}
