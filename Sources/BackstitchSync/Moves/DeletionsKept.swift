import Backstitch
import CloudWire

/// Unsent deletions of a zone that is gone, each of an object of which a record waits in another zone: it may have left
/// the zone before that went, and is still to be deleted then.
struct DeletionsKept {
    private struct Waiting {
        let entry: OutboxEntry
        /// The name of the record that waits.
        let name: String
        /// The zone of the record that waits.
        let zone: Int64
        /// Whether the deletion is weighed against that record. It is not where values identify the object, or another
        /// user has made the record: it may be another object.
        let isWeighed: Bool
    }

    private let waiting: [ObjectKey: Waiting]

    /// - Parameters:
    ///   - entries: What is unsent in the zone.
    ///   - zone: The zone that is gone.
    ///   - journal: The whole store's.
    init(
        among entries: [OutboxEntry], ofZone zone: Int64, _ model: SyncedModel, in journal: any JournalReading
    ) throws {
        var waiting: [ObjectKey: Waiting] = [:]
        let deletions = Dictionary(
            entries.filter { $0.kind == .delete }.map { ($0.objectID.key, $0) }, uniquingKeysWith: { $1 })
        let notes = deletions.isEmpty ? [] : try journal.notes(.moves).sorted { $0.subject.zone < $1.subject.zone }
        for (subject, note) in notes where subject.zone != zone {
            guard case .unexplained(let name, isTold: false) = note.state, let entry = deletions[subject.key],
                let record = try ZoneReader(journal, subject.zone).note(.parked, of: name)?.record,
                waiting[subject.key]?.isWeighed != true
            else { continue }
            let isIdentified = model.entity(named: note.entityName)?.entity.isIdentifiedByValues ?? true
            waiting[subject.key] = Waiting(
                entry: entry.unblocked, name: name, zone: subject.zone,
                isWeighed: try !isIdentified && journal.isOwn(record.created?.userRecordName))
        }
        self.waiting = waiting
    }

    /// Whether a deletion is dropped, though the object may be there again.
    func isGivenUp(_ key: ObjectKey) -> Bool { waiting[key]?.isWeighed == false }

    /// Whether a deletion goes along to another zone.
    func isKept(_ key: ObjectKey) -> Bool { waiting[key]?.isWeighed == true }

    /// Brings the deletions that are weighed to the zones of the records.
    ///
    /// - Returns: Whether there are any.
    func write(to journal: any JournalWriting) throws -> Bool {
        for (key, deletion) in waiting.sorted(by: { $0.key < $1.key }) where deletion.isWeighed {
            let zone = ZoneWriter(journal, deletion.zone)
            try zone.putOutbox([deletion.entry])
            let foreignName = deletion.name == key.uuidString ? nil : deletion.name
            let state = RecordState(objectID: deletion.entry.objectID, foreignName: foreignName, changeTag: nil)
            try zone.putRecordStates([state.ofNoRecord])
        }
        return waiting.values.contains(where: \.isWeighed)
    }
}
