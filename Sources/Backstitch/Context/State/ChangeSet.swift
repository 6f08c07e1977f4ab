import Foundation

/// The changes of a context that are not saved: the objects that its next save inserts, updates and deletes, which are
/// held here, and the rest that the save must know.
///
/// An object is listed as new or as changed, or neither; one that is to be deleted stays where it was listed. It calls
/// neither the program nor the context.
///
/// A class, so that a context has it as a constant. Setting a property costs a step from the context to here; a struct
/// would be checked for exclusiveness as a whole at each access, where now one part can be read while another changes.
final class ChangeSet {
    let insertedList = ObjectList()
    let updatedList = ObjectList()
    /// The objects to be deleted.
    private(set) var deleted = DeletedObjects()
    /// Differences of collections.
    private(set) var links = LinkDeltas()
    /// New objects that the store had before.
    private var returned: Set<ObjectKey> = []
    // The rest goes along with the objects: see ChangeSet+Details.swift.

    /// By edited object, what lies beneath the edits, where others' changes were merged there.
    var mergedBases: [ObjectKey: MergedBase] = [:]
    /// Objects that others have deleted beneath an edit, or changed beneath a deletion; see
    /// ``ManagedObjectContext/settleDisputes()``.
    var disputes: Set<ObjectKey> = []
    /// The stores that new objects were given to; see ``ManagedObjectContext/assign(_:to:)``.
    var assignments: [ObjectKey: UUID] = [:]
    /// The zones that new objects were given to; see ``ManagedObjectContext/assign(_:toZone:)``.
    var zones: [ObjectKey: String] = [:]
    /// Whether the program has chosen keys of new objects.
    var givesKeys = false
    /// Objects with orders that their rows do not have yet.
    var unwrittenOrders: [ManagedObject] = []
    /// Rises when places may have changed otherwise than by putting objects into them.
    var orderEpoch = 0

    /// Rises with everything that may make an object one to be saved.
    private(set) var changeCount = 0

    /// New objects, in the order in which they came; those among them that are to be deleted too.
    var inserted: [ManagedObject] { insertedList.values }

    /// Objects that were changed since they were saved, in the order in which they came. Some may be again as they
    /// were.
    var updated: [ManagedObject] { updatedList.values }

    /// Whether a save would write anything.
    var hasChanges: Bool {
        !insertedList.isEmpty || !deleted.isEmpty || !links.isEmpty || updatedList.contains(where: \.hasChanges)
    }

    /// Whether there may be changes of anything but new objects, or of what leads to these.
    var mayChangeStored: Bool { !updatedList.isEmpty || !deleted.isEmpty || !links.isEmpty || !returned.isEmpty }

    /// Whether an object is listed as new.
    func isInserted(_ object: ManagedObject) -> Bool { insertedList.contains(object) }

    /// Whether an object is listed as new or as changed.
    func isListed(_ object: ManagedObject) -> Bool { insertedList.contains(object) || updatedList.contains(object) }

    /// Whether there is an object, new, changed or deleted, of which `predicate` holds.
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

    /// Notes that the store had a new object before: what it holds may lead to the object still, by a relationship
    /// whose rule is ``DeleteRule/noAction``, or because others have made a link meanwhile.
    func noteReturn(of object: ManagedObject) { returned.insert(object.key) }

    /// The new objects that the store had before.
    var returnedObjects: [ManagedObject] {
        returned.isEmpty ? [] : insertedList.values.filter { returned.contains($0.key) }
    }

    /// Whether the store may have links that lead to an object.
    func mayHaveStoredLinks(_ object: ManagedObject) -> Bool { !object.isNew || returned.contains(object.key) }

    /// Lists an object as changed.
    func update(_ object: ManagedObject) {
        unlistNew(object)
        updatedList.insert(object)
        changeCount &+= 1
    }

    /// Notes that a property of an object was set. Called for each, so what was noted already costs a comparison.
    @inline(__always)
    func noteChange(of object: ManagedObject) {
        changeCount &+= 1
        guard object.state == .persistent, !object.isNew, !updatedList.contains(object) else { return }
        update(object)
    }

    /// Lists an object as changed when links of it were changed from their other ends while it was not in memory, or
    /// deleted.
    @inline(__always)
    func listIfLinksChanged(_ object: ManagedObject) {
        if !links.isEmpty { updateIfLinksChanged(object) }
    }

    private func updateIfLinksChanged(_ object: ManagedObject) {
        if object.state == .persistent, links.hasChanges(of: object) { update(object) }
    }

    /// Takes an object out of the lists of new and of changed ones.
    func unlist(_ object: ManagedObject) {
        unlistNew(object)
        updatedList.remove(object)
    }

    private func unlistNew(_ object: ManagedObject) {
        insertedList.remove(object)
        if !returned.isEmpty { returned.remove(object.key) }
    }

    /// Takes an object out of the list of changed ones.
    func unlistUpdate(_ object: ManagedObject) { updatedList.remove(object) }

    /// Forgets all changes of an object that is gone.
    func forget(_ object: ManagedObject, keepsLinks: Bool = false) {
        unlist(object)
        deleted.remove(object.key)
        if !keepsLinks { links.forget(object.key) }
        mergedBases[object.key] = nil
        disputes.remove(object.key)
    }

    /// Forgets all changes of objects: they were saved or dropped. Links have their own end, assignments and ends of
    /// orders outlive it.
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
    /// Has an object deleted.
    func delete(_ object: ManagedObject) {
        deleted.insert(object)
        changeCount &+= 1
    }

    /// Has an object not deleted; it is in its former state again.
    func takeBackDeletion(of object: ManagedObject) {
        if deleted.hides(object.key) { forgetOrders() }
        deleted.remove(object.key)
        listIfLinksChanged(object)
        changeCount &+= 1
    }

    /// Whether objects that were never saved are to be deleted, and some deletion came since the last call.
    func visitDeletions() -> Bool { deleted.visit() }

    /// Whether some deletion came since the last call whose delete rules were not carried out.
    func takeUnsettledDeletions() -> Bool { deleted.takeUnsettled() }

    /// Has relationships no longer show the objects to be deleted.
    func hideDeletions() {
        if deleted.hide() { forgetOrders() }
    }

    /// Whether relationships no longer show some objects.
    var hidesSome: Bool { deleted.hidesSome }

    /// Whether relationships no longer show the object.
    func hides(_ key: ObjectKey) -> Bool { deleted.hides(key) }
}

// Links.
extension ChangeSet {
    /// Adds `key` to the collection at `end`.
    func link(_ key: ObjectKey, to end: LinkEnd) { links.add(key, at: end) }

    /// Takes `key` out of the collection at `end`.
    func unlink(_ key: ObjectKey, from end: LinkEnd) { links.remove(key, at: end) }

    /// Notes that others may have made or removed links that are changed here too.
    func doubtLinks() { links.doubt() }

    /// Compares the changed links at an end with those in the store.
    func settleLinks(at end: LinkEnd, stored: Set<ObjectKey>) { links.settle(at: end, stored: stored) }

    /// Forgets changed links of an object.
    func forgetLinks(of key: ObjectKey) { links.forget(key) }

    /// Forgets at which ends of a relationship an object came or went: the column of its row says where it is.
    func forgetLinks(of key: ObjectKey, atEndsOf inverse: ResolvedProperty, _ relationship: ResolvedRelationship) {
        links.forget(key, atEndsOf: inverse, relationship)
    }

    /// Forgets changed links of objects that were saved.
    func forgetLinks(ofSaved keys: Set<ObjectKey>) { links.forget(keys) }

    /// Forgets all changed links.
    func forgetLinks() { links.removeAll() }
}
