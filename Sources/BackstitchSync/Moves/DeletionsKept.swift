import Backstitch
import CloudWire

/// Unsent deletions of a lost zone, for objects with a parked record in another zone. Such an object may have left the
/// zone before the loss. It is then still to be deleted.
struct DeletionsKept {
    private struct Waiting {
        let entry: OutboxEntry
        /// The name of the parked record.
        let name: String
        /// The zone of the parked record.
        let zone: Int64
        /// Whether the deletion is weighed against the parked record. It is not if values identify the object, or if
        /// another user made the record: it may then be a different object.
        let isWeighed: Bool
    }

    private let waiting: [ObjectKey: Waiting]

    /// Collects the deletions to keep or to drop.
    ///
    /// - Parameters:
    ///   - entries: The unsent changes of the zone.
    ///   - zone: The lost zone.
    ///   - journal: The journal of the whole store.
    init(
        among entries: [OutboxEntry], ofZone zone: Int64, _ model: SyncedModel, in journal: any JournalReading
    ) throws {
        var waiting: [ObjectKey: Waiting] = [:]
        let deletions = Dictionary(
            entries.filter { $0.kind == .delete }.map { ($0.objectID.key, $0) }, uniquingKeysWith: { $1 })
        let notes = try MoveNotes(journal, of: deletions.keys)
        for (subject, note) in notes.sorted where subject.zone != zone {
            guard case .second(let name, _, isTold: false) = note.state, let entry = deletions[subject.key],
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

    /// Whether a deletion is dropped, although the object may reappear.
    func isGivenUp(_ key: ObjectKey) -> Bool { waiting[key]?.isWeighed == false }

    /// Whether a deletion is kept, and moves to the zone of the parked record.
    func isKept(_ key: ObjectKey) -> Bool { waiting[key]?.isWeighed == true }

    /// Writes the weighed deletions to the zones of their records.
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
