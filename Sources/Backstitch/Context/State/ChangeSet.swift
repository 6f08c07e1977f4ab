import Foundation

/// The unsaved changes of a context. They hold the objects that its next save inserts, updates and deletes, and the
/// further data of the save.
///
/// An object is listed as new, as changed, or not at all. An object to be deleted stays in its list. The change set
/// calls neither the program nor the context.
///
/// It is a class, so that a context has it as a constant. Setting a property costs a step from the context to here. A
/// struct would be checked for exclusive access as a whole at each access. In a class, one part can be read while
/// another changes.
final class ChangeSet {
    let insertedList = ObjectList()
    let updatedList = ObjectList()
    /// The objects to be deleted.
    private(set) var deleted = DeletedObjects()
    /// The unsaved differences of collections, by their ends.
    private(set) var links = LinkDeltas()
    /// New objects that the store had before.
    private var returned: Set<ObjectKey> = []
    // The following values accompany the objects: see ChangeSet+Details.swift.

    /// The values beneath edits, by edited object, if changes made elsewhere were merged there.
    var mergedBases: [ObjectKey: MergedBase] = [:]
    /// Objects that were deleted elsewhere beneath an edit, or changed elsewhere beneath a deletion; see
    /// ``ManagedObjectContext/settleDisputes()``.
    var disputes: Set<ObjectKey> = []
    /// The assigned stores of new objects; see ``ManagedObjectContext/assign(_:to:)``.
    var assignments: [ObjectKey: UUID] = [:]
    /// The assigned zones of new objects; see ``ManagedObjectContext/assign(_:toZone:)``.
    var zones: [ObjectKey: String] = [:]
    /// Whether the program has chosen keys of new objects.
    var givesKeys = false
    /// Objects with orders that their rows do not have yet.
    var unwrittenOrders: [ManagedObject] = []
    /// Rises when places may have changed in another way than by putting objects into them.
    var orderEpoch = 0

    /// Rises with every change that may add an object to the save.
    private(set) var changeCount = 0

    /// New objects, in the order of their insertion, including new objects that are to be deleted.
    var inserted: [ManagedObject] { insertedList.values }

    /// Objects that changed since they were saved, in the order of their first change. Some may have their saved values
    /// again.
    var updated: [ManagedObject] { updatedList.values }

    /// Whether a save would write anything.
    var hasChanges: Bool {
        !insertedList.isEmpty || !deleted.isEmpty || !links.isEmpty || updatedList.contains(where: \.hasChanges)
    }

    /// Whether there may be changes other than new objects and links to these.
    var mayChangeStored: Bool { !updatedList.isEmpty || !deleted.isEmpty || !links.isEmpty || !returned.isEmpty }

    /// Whether an object is listed as new.
    func isInserted(_ object: ManagedObject) -> Bool { insertedList.contains(object) }

    /// Whether an object is listed as new or as changed.
    func isListed(_ object: ManagedObject) -> Bool { insertedList.contains(object) || updatedList.contains(object) }

    /// Whether `predicate` holds for any new, changed or deleted object.
    func contains(where predicate: (ManagedObject) -> Bool) -> Bool {
        insertedList.contains(where: predicate) || updatedList.contains(where: predicate)
            || deleted.objects.contains(where: predicate)
    }
}

// Objects.
extension ChangeSet {
    /// Lists an object as new.
    func insert(_ object: ManagedObject) {
        updatedList.remove(object)
        insertedList.insert(object)
        changeCount &+= 1
    }

    /// Notes that the store had a new object before. Stored links may still lead to the object: by a relationship whose
    /// rule is ``DeleteRule/noAction``, or because a link was made elsewhere meanwhile.
    func noteReturn(of object: ManagedObject) { returned.insert(object.key) }

    /// The new objects that the store had before.
    var returnedObjects: [ManagedObject] {
        returned.isEmpty ? [] : insertedList.values.filter { returned.contains($0.key) }
    }

    /// Whether the store may have links to an object.
    func mayHaveStoredLinks(_ object: ManagedObject) -> Bool { !object.isNew || returned.contains(object.key) }

    /// Lists an object as changed.
    func update(_ object: ManagedObject) {
        unlistNew(object)
        updatedList.insert(object)
        changeCount &+= 1
    }

    /// Notes that a property of an object was set. It is called for each setting, so a repeated note costs only a
    /// comparison.
    @inline(__always)
    func noteChange(of object: ManagedObject) {
        changeCount &+= 1
        guard object.state == .persistent, !object.isNew, !updatedList.contains(object) else { return }
        update(object)
    }

    /// Lists an object as changed if its links were changed from their other ends. This happens while the object is not
    /// in memory, or deleted.
    @inline(__always)
    func listIfLinksChanged(_ object: ManagedObject) {
        if !links.isEmpty { updateIfLinksChanged(object) }
    }

    private func updateIfLinksChanged(_ object: ManagedObject) {
        if object.state == .persistent, links.hasChanges(of: object) { update(object) }
    }

    /// Removes an object from the lists of new and changed objects.
    func unlist(_ object: ManagedObject) {
        unlistNew(object)
        updatedList.remove(object)
    }

    private func unlistNew(_ object: ManagedObject) {
        insertedList.remove(object)
        if !returned.isEmpty { returned.remove(object.key) }
    }

    /// Removes an object from the list of changed objects.
    func unlistUpdate(_ object: ManagedObject) { updatedList.remove(object) }

    /// Forgets all changes of an object that is gone.
    func forget(_ object: ManagedObject, keepsLinks: Bool = false) {
        unlist(object)
        deleted.remove(object.key)
        if !keepsLinks { links.forget(object.key) }
        mergedBases[object.key] = nil
        disputes.remove(object.key)
    }

    /// Forgets all changes of objects, because they were saved or dropped. Links are forgotten separately. Assignments
    /// and the epoch of orders outlive this call.
    func forgetObjects() {
        insertedList.removeAll()
        updatedList.removeAll()
        deleted.removeAll()
        unwrittenOrders = []
        returned = []
        mergedBases = [:]
        disputes = []
    }
}

// Deletions.
extension ChangeSet {
    /// Lists an object as one to be deleted.
    func delete(_ object: ManagedObject) {
        deleted.insert(object)
        changeCount &+= 1
    }

    /// Takes the deletion of an object back. The object is in its former state again.
    func takeBackDeletion(of object: ManagedObject) {
        if deleted.hides(object.key) { forgetOrders() }
        deleted.remove(object.key)
        listIfLinksChanged(object)
        changeCount &+= 1
    }

    /// Whether never-saved objects are to be deleted, and a deletion was added since the last call.
    func visitDeletions() -> Bool { deleted.visit() }

    /// Whether a deletion was added since the last call. Its delete rules have not been carried out yet.
    func takeUnsettledDeletions() -> Bool { deleted.takeUnsettled() }

    /// Hides the objects to be deleted from relationships.
    func hideDeletions() {
        if deleted.hide() { forgetOrders() }
    }

    /// Whether any objects are hidden from relationships.
    var hidesSome: Bool { deleted.hidesSome }

    /// Whether the object is hidden from relationships.
    func hides(_ key: ObjectKey) -> Bool { deleted.hides(key) }
}

// Links.
extension ChangeSet {
    /// Adds `key` to the collection at `end`.
    func link(_ key: ObjectKey, to end: LinkEnd) { links.add(key, at: end) }

    /// Removes `key` from the collection at `end`.
    func unlink(_ key: ObjectKey, from end: LinkEnd) { links.remove(key, at: end) }

    /// Notes that links changed here may also have been made or removed elsewhere.
    func doubtLinks() { links.doubt() }

    /// Compares the changed links at an end with the stored links.
    func settleLinks(at end: LinkEnd, stored: Set<ObjectKey>) { links.settle(at: end, stored: stored) }

    /// Forgets changed links of an object.
    func forgetLinks(of key: ObjectKey) { links.forget(key) }

    /// Forgets the changes of an object's links at the ends of a relationship. The column of its row holds the link.
    func forgetLinks(of key: ObjectKey, atEndsOf inverse: ResolvedProperty, _ relationship: ResolvedRelationship) {
        links.forget(key, atEndsOf: inverse, relationship)
    }

    /// Forgets changed links of objects that were saved.
    func forgetLinks(ofSaved keys: Set<ObjectKey>) { links.forget(keys) }

    /// Forgets all changed links.
    func forgetLinks() { links.removeAll() }
}
