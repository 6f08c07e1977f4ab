extension ChangeSet {
    /// Returns a message for each inconsistency in its data. Complexity: O(changes).
    func _checkInvariants() -> [String] {
        var broken = BrokenInvariants()
        for object in inserted {
            broken.require(object.isNew, "\(object.objectID) is among the inserted, but not new")
            broken.require(isInserted(object), "\(object.objectID) is among the inserted, and elsewhere")
        }
        for object in updated {
            broken.require(!object.isNew, "\(object.objectID) is among the updated, but new")
            broken.require(
                isListed(object) && !isInserted(object), "\(object.objectID) is among the updated, and elsewhere")
        }
        for list in [insertedList, updatedList] {
            broken.require(
                list._length <= max(17, list.count * 2), "a list of \(list.count) objects has \(list._length) places")
        }
        for (key, object) in deleted.byKey {
            broken.require(
                object.key == key && object.state == .deleted,
                "\(object.objectID) is among the deleted, but \(object.state)")
        }
        broken.require(
            disputes.allSatisfy { key in deleted[key] != nil || inserted.contains { $0.key == key } },
            "an object is in dispute that is neither to be inserted again nor to be deleted")
        broken.require(deleted.isConsistent, "objects are hidden, or never saved, that are not among the deleted")
        broken.require(links.isConsistent, "changed ends are not known by object, or by others")
        for (end, delta) in links.deltas {
            broken.require(!delta.isEmpty, "an empty delta of \(end.key) is kept at \(end.slot)")
            broken.require(
                delta.added.isDisjoint(with: delta.removed),
                "a link of \(end.key) at \(end.slot) is added and removed")
        }
        return broken.messages
    }
}
