public import Foundation

/// The writing part of a journal's transaction.
public protocol JournalWriting: JournalReading {
    /// Inserts rows, or replaces stored ones. The version of a replaced row rises by one; the batch's own versions are
    /// ignored. If a row already has the same values, it keeps its version and enters no history, so other readers meet
    /// no conflict. Derived attributes of stored rows stay as the store has computed them.
    func upsert(_ rows: RowBatch) throws
    /// Deletes rows and the links that they own; keys without a row are ignored. Links to the deleted rows stay, and so
    /// do columns with their keys. They read as nothing, and work again if the row is inserted again.
    func delete(_ keys: [ObjectKey], of entity: ResolvedEntity) throws
    /// Adds and removes links. The rows of a link need not exist yet.
    func change(_ links: LinkChange) throws
    /// Writes entries, and replaces existing ones of the same objects.
    func putOutbox(_ entries: [OutboxEntry]) throws
    /// Removes the entries of these objects.
    func removeOutbox(_ keys: [ObjectKey]) throws
    /// Writes record states, and replaces existing ones of the same objects.
    func putRecordStates(_ states: [RecordState]) throws
    /// Removes the states of these objects.
    func removeRecordStates(_ keys: [ObjectKey]) throws
    /// Makes history continue after this number, unless it is already higher. A store needs it to take over another's
    /// content, with an outbox that refers to the other's numbers.
    func raiseTransactionNumber(to number: Int64) throws
    /// Stores a value under a key; nil removes it.
    func setMetadata(_ value: Data?, for key: String) throws
    /// Deletes history transactions, oldest first, up to a number and older than a date. It stops at the first
    /// transaction to be kept. Returns the number of deleted transactions.
    func purgeHistory(through number: Int64, before date: Date) throws -> Int

    /// Adds a zone, or renames the one with this number. From now on a save puts a new object into the zone if it asks
    /// for this name.
    func putZone(_ number: Int64, named name: String) throws
    /// Removes a zone. From now on its objects count to the main one.
    func removeZone(_ number: Int64) throws
    /// Sets the zone of objects, even of objects that do not exist yet; 0 is the main one.
    func setZone(_ zone: Int64, of keys: [ObjectKey]) throws
    /// Makes a zone read-only, or writable again; 0 is the main one. Saves and batch requests that would change
    /// something in a read-only zone throw ``BackstitchError/Code/permissionDenied``. A journal's own transaction may
    /// still write there.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` if the store has no read-only zones, which is the default.
    func setReadOnly(_ isReadOnly: Bool, zone: Int64) throws
    /// Limits the changes in a zone to the rights to these shared objects; nil gives the rights of the whole zone.
    /// Saves and batch requests beyond these rights throw ``BackstitchError/Code/permissionDenied``.
    ///
    /// Objects below a shared object may be changed, and new ones added, if the shared object may be written. They stay
    /// below their shared object unless the user administers it. The shared objects themselves are not deleted, and
    /// keep their parents. A journal's own transaction may still write anything.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` if the store has no rights to single objects, which is the
    ///   default.
    func setSharedRoots(_ roots: SharedRoots?, zone: Int64) throws

    /// Limits the changes in the store to the user's rights by the creators of objects. Saves and batch requests beyond
    /// these rights throw ``BackstitchError/Code/permissionDenied``, except held ones, which are not sent. A journal's
    /// own transaction may still write anything. Nil ends the limits, and forgets the creators.
    ///
    /// By default it does nothing: the store then refuses no save by its creator, and the server refuses the change
    /// when it is sent.
    func setCreatorRights(_ rights: CreatorRights?) throws
    /// Notes the record names of the creators of objects; the objects need not exist yet. An object without a note is
    /// one of the user. It does nothing in a store without ``JournalReading/creatorRights()``.
    func putCreators(_ creators: [ObjectKey: String]) throws
    /// Forgets the creators of these objects.
    func removeCreators(_ keys: [ObjectKey]) throws
}

extension JournalWriting {
    /// Does nothing: the default for stores without rights by creator.
    public func setCreatorRights(_ rights: CreatorRights?) throws {}

    /// Does nothing: the default for stores without rights by creator.
    public func putCreators(_ creators: [ObjectKey: String]) throws {}

    /// Does nothing: the default for stores without rights by creator.
    public func removeCreators(_ keys: [ObjectKey]) throws {}

    /// Refuses a read-only zone: the default for stores without such zones.
    public func setReadOnly(_ isReadOnly: Bool, zone: Int64) throws {
        guard isReadOnly else { return }
        throw BackstitchError(
            .invalidRequest,
            "this type of store has no read-only zones, so it cannot hold zones that others share (option syncDatabase)"
        )
    }

    /// Refuses single shared objects: the default for stores without such zones.
    public func setSharedRoots(_ roots: SharedRoots?, zone: Int64) throws {
        guard roots != nil else { return }
        throw BackstitchError(
            .invalidRequest,
            "this type of store has no rights to single objects, so it cannot hold objects that others share "
                + "(option syncDatabase)"
        )
    }
}
