public import Foundation

/// The writing part of a journal's transaction.
public protocol JournalWriting: JournalReading {
    /// Inserts rows, or replaces the stored ones (their version rises by one; the batch's own versions are ignored). A
    /// row that is stored with the same values keeps its version and enters no history, so that nobody who read it
    /// meets a conflict. Derived attributes of stored rows stay as the store has computed them.
    func upsert(_ rows: RowBatch) throws
    /// Deletes rows and the links that they own; keys without a row are ignored. Links that lead to them stay, as
    /// columns do that name them: they read as nothing, and lead somewhere again when the row comes back.
    func delete(_ keys: [ObjectKey], of entity: ResolvedEntity) throws
    /// Adds and removes links. Links may lead to rows that are not there yet.
    func change(_ links: LinkChange) throws
    /// Writes entries, replacing those of the same objects.
    func putOutbox(_ entries: [OutboxEntry]) throws
    /// Removes the entries of these objects.
    func removeOutbox(_ keys: [ObjectKey]) throws
    /// Writes record states, replacing those of the same objects.
    func putRecordStates(_ states: [RecordState]) throws
    /// Removes the states of these objects.
    func removeRecordStates(_ keys: [ObjectKey]) throws
    /// Has history go on behind this number, if it is not there yet: for a store that takes over another's content,
    /// whose outbox refers to its numbers.
    func raiseTransactionNumber(to number: Int64) throws
    /// Keeps a value, or removes it when nil.
    func setMetadata(_ value: Data?, for key: String) throws
    /// Deletes history transactions up to a number that are older than a date, beginning with the oldest and stopping
    /// at the first that is not to go; gives how many went.
    func purgeHistory(through number: Int64, before date: Date) throws -> Int

    /// Adds a zone, or gives the one of that number another name. Saves put new objects into it from now on that ask
    /// for it by its name.
    func putZone(_ number: Int64, named name: String) throws
    /// Removes a zone. Objects that are in it count to the main one from now on.
    func removeZone(_ number: Int64) throws
    /// Notes the zone of objects, whether they are there already or not; 0 is the main one.
    func setZone(_ zone: Int64, of keys: [ObjectKey]) throws
    /// Has saves and batch requests that would change something in a zone throw
    /// ``BackstitchError/Code/permissionDenied``, or lets them change it again; 0 is the main one. What a journal's
    /// transaction writes is written all the same.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` where the store cannot do that, as unless it says otherwise.
    func setReadOnly(_ isReadOnly: Bool, zone: Int64) throws
    /// Has saves and batch requests throw ``BackstitchError/Code/permissionDenied`` that change more in a zone than the
    /// rights to these objects allow; nil for a zone whose rights are those of the whole. So long as objects hang on
    /// one that may be written, they may be changed, and new ones added to them; they stay below the shared ones that
    /// they hang on unless these are administered, and these are not deleted and keep their parents. What a journal's
    /// transaction writes is written all the same.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` where the store cannot do that, as unless it says otherwise.
    func setSharedRoots(_ roots: SharedRoots?, zone: Int64) throws
}

extension JournalWriting {
    /// Refuses a zone in which saves change nothing: for stores that cannot have any.
    public func setReadOnly(_ isReadOnly: Bool, zone: Int64) throws {
        guard isReadOnly else { return }
        throw BackstitchError(
            .invalidRequest,
            "this type of store has no zones that are only read, so it cannot hold what others share (option syncDatabase)"
        )
    }

    /// Refuses single objects that others share: for stores that cannot have such zones.
    public func setSharedRoots(_ roots: SharedRoots?, zone: Int64) throws {
        guard roots != nil else { return }
        throw BackstitchError(
            .invalidRequest,
            "this type of store knows no rights to single objects, so it cannot hold what others share (option syncDatabase)"
        )
    }
}
