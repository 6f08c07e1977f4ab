package import Backstitch
import Foundation

/// Brings together what one object's record is on the server and what was changed here. Pure: values in, values out.
package struct RecordMerge: Sendable {
    /// The object.
    package let objectID: ObjectID
    /// Its entity.
    package let entity: ResolvedEntity
    /// Decides where both sides changed the same.
    package let resolver: any ConflictResolver
    /// When the server's record was last changed; nil where that is not known.
    var serverDate: Date?
    /// When the saves were made that the unsent change is of, by their numbers, as far as somebody looks at that.
    var saveDates: [Int64: Date] = [:]

    /// The object's unsent change, and what is known of it.
    package struct Local: Sendable {
        /// The outbox entry.
        package var entry: OutboxEntry
        /// The object as it is here; nil when it is deleted.
        package var image: RecordImage?
        /// Whether the server may have got an insert already, so that its record may be this very object.
        package var mayHaveArrived: Bool
        /// The transaction up to which edits are in an insert that may have arrived, if only this device can have made
        /// the record; else 0.
        package var arrivedSequence: Int64
        /// Whether the server is known to have had the object's record before.
        package var wasOnServer: Bool
        /// The traces of pushes whose answers are not known.
        package var traces: [PushTrace]
        /// The changes of the server's record beside its values, since this device last agreed with the server.
        package var rest = RestOfRecord()

        /// A change.
        package init(
            entry: OutboxEntry, image: RecordImage?, mayHaveArrived: Bool, arrivedSequence: Int64 = 0,
            wasOnServer: Bool = true, traces: [PushTrace] = []
        ) {
            self.entry = entry
            self.image = image
            self.mayHaveArrived = mayHaveArrived
            self.arrivedSequence = arrivedSequence
            self.wasOnServer = wasOnServer
            self.traces = traces
        }
    }

    /// The outcome of a merge.
    package struct Outcome: Sendable, Equatable {
        /// The fate of the row.
        package enum Row: Sendable, Equatable {
            /// It stays as it is.
            case keep
            /// It becomes this, or is made so.
            case write(RecordImage)
            /// It goes.
            case delete
        }

        /// The fate of the row.
        package var row: Row
        /// The change that is still to be sent; nil for none.
        package var entry: OutboxEntry?
        /// The changes that could not both stay.
        package var conflicts: [SyncConflict] = []
        /// The version of this side that becomes a new object, where both stay.
        package var copy: RecordImage?
        /// Whether nothing was decided, so that the server's record is not taken for known.
        package var isUndecided = false
    }

    /// A merge for one object.
    package init(objectID: ObjectID, entity: ResolvedEntity, resolver: any ConflictResolver) {
        self.objectID = objectID
        self.entity = entity
        self.resolver = resolver
    }

    /// In a push's trace, tells that the record was to be deleted, with its object or because that shall be local; no
    /// property has that name.
    static let removal = "-"

    /// Merges a change here with the record that the server has now.
    package func merge(_ local: Local, with server: RecordImage) -> Outcome {
        guard local.entry.kind != .delete else { return deletedHere(local, editedThere: server) }
        guard let image = local.image else {
            // An edit without an object cannot be; the server's record is the only truth left.
            return Outcome(row: .write(server), entry: nil)
        }
        return mergeEdits(local, image, server)
    }

    /// Merges a change here with the deletion of the server's record.
    package func mergeDeletion(_ local: Local) -> Outcome {
        var entry = local.entry
        // Changes of an object that is gone are nothing to keep it for.
        if entry.kind == .delete || local.image == nil { return Outcome(row: .keep, entry: nil) }
        // An insert that never left is another life of the object, not the one that was deleted; one that is to be made
        // in this zone was not deleted there either.
        if entry.kind == .insert || !local.wasOnServer, !local.mayHaveArrived {
            return Outcome(row: .keep, entry: entry)
        }
        if local.traces.contains(where: { $0[Self.removal] != nil }) {
            // This device's own doing, whose answer was lost: the object stays here, or is here again, and is sent if
            // it shall be by now.
            entry.makeAnew()
            return Outcome(row: .keep, entry: entry)
        }
        if isUnsentFold(local) {
            // The device that deleted it knew nothing of the other object, which is in this one now.
            entry.makeAnew()
            return Outcome(row: .keep, entry: entry)
        }
        // Nothing was edited: it was to move, or had moved, or was to be encrypted with another key.
        if entry.hasNoEdits { return Outcome(row: .delete, entry: nil) }
        // A record that this device alone can have made was read by its deleter, with the edits sent in it.
        let unheard = entry.edits.filter { $0.sequence > local.arrivedSequence }.map(\.name)
        if entry.kind == .insert, unheard.isEmpty, entry.firstSequence == 0 || entry.isMadeHereOnly {
            return Outcome(row: .delete, entry: nil)
        }
        let decision = resolver.decide(of: entity) {
            ConflictToResolve(
                objectID: objectID, kind: .editedHereDeletedThere, keys: unheard, base: base(of: local),
                local: local.image.map(values) ?? [:], server: [:], localDate: localDate(of: unheard, entry))
        }
        guard case .winner(let winner, _) = decision else { return undecided(decision, entry) }
        let conflict = SyncConflict(
            objectID: objectID, kind: .editedHereDeletedThere, keys: unheard, winner: winner)
        guard winner == .client else { return Outcome(row: .delete, entry: nil, conflicts: [conflict]) }
        entry.makeAnew()
        return Outcome(row: .keep, entry: entry, conflicts: [conflict])
    }

    /// Whether another object with the same unique values has become this one, and the server does not know of it yet:
    /// a fold notes a unique property that is as it was, see ``DuplicateMerger``.
    private func isUnsentFold(_ local: Local) -> Bool {
        guard let image = local.image, let slot = entity.uniquenessConstraints.first?.first else { return false }
        let property = entity.properties[slot]
        return local.entry.fields.contains { $0.name == property.name && $0.base == image.content(of: property) }
    }

    /// When some properties were last saved here; of a deletion, when that was.
    func localDate(of keys: [String], _ entry: OutboxEntry) -> Date? { saveDates[entry.lastSave(of: keys)] }

    /// The values on which both sides last agreed.
    private func base(of local: Local) -> [String: Value] {
        var base = local.image.map(values) ?? [:]
        for field in local.entry.fields {
            if base[field.name] != nil, case .value(let value) = field.base { base[field.name] = value }
        }
        return base
    }

    /// Both sides stay as they are; the change here waits, or is blocked where somebody has refused to decide.
    func undecided(_ decision: ConflictDecision, _ entry: OutboxEntry) -> Outcome {
        var entry = entry
        if case .refused(let reason) = decision { entry.blockedReason = reason }
        return Outcome(row: .keep, entry: entry, isUndecided: true)
    }
}
