import Backstitch
import Foundation

extension StoreConformance {
    /// Contexts know which objects are stored, even after an object was inserted and deleted between two looks.
    ///
    /// A backend must
    /// - read a row that was inserted and deleted meanwhile as missing;
    /// - write no row and no history for an object when only its to-many has changed: the other end has the column;
    /// - restore an object under its old identity when undo brings it back.
    ///
    /// A store fails when it raises the version of a row that a save did not name: the next save of its reader is a
    /// conflict.
    static let knowledgeCases = [
        ConformanceCase("a context that met an object between another's insertion and deletion hears of the deletion") {
            bench in
            let container = try bench.container()
            for merges in [true, false] {
                try await container.perform { theirs in
                    let place = Location(context: theirs)
                    try theirs.save()
                    let mine = ManagedObjectContext(coordinator: theirs.coordinator)
                    mine.automaticallyMergesChangesFromParent = merges
                    let myPlace = try mine.existingObject(with: place.objectID) as? Location
                    let entry = Entry(context: theirs)
                    entry.location = place
                    try theirs.save()
                    let met = myPlace?.entries.first
                    try expectEqual(met?.text, "")
                    theirs.delete(entry)
                    try theirs.save()
                    if !merges { mine.mergeChangesFromParent() }
                    try expectEqual(mine.fetch(FetchRequest<Entry>()), [])
                    try expect(met != nil && met?.managedObjectContext == nil)
                    try expectEqual(myPlace?.entries, [])
                }
            }
        },
        ConformanceCase("a child that met an object between its parent's insertion and deletion hears of the deletion")
        {
            bench in
            try await bench.container().perform { context in
                let child = ManagedObjectContext(parent: context)
                let entry = Entry(context: context)
                let met = try child.existingObject(with: entry.objectID)
                context.delete(entry)
                context.processPendingChanges()
                try expectEqual(child.fetch(FetchRequest<Entry>()), [])
                try expect(met.managedObjectContext == nil)
            }
        },
        ConformanceCase("an object that was inserted and deleted before a save was never there; undo brings it back") {
            bench in
            try await bench.container().perform { context in
                let place = Location(context: context), tag = Tag(context: context)
                try context.save()
                context.undoManager = ContextUndoManager()
                let entry = Entry(context: context)
                entry.text = "brief"
                entry.location = place
                entry.tags = [tag]
                context.processPendingChanges()
                context.delete(entry)
                try expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty && !context.hasChanges)
                try expect(context.updatedObjects.isEmpty && place.entries.isEmpty && tag.entries.isEmpty)
                try expect(context.registeredObject(for: entry.objectID) == nil)
                try expect(entry.managedObjectContext == nil && !entry.isDeleted)
                try expectError(.objectNotFound) { _ = try context.existingObject(with: entry.objectID) }
                context.undo()
                try expect(context.insertedObjects == [entry] && entry.text == "brief" && entry.location === place)
                try expectEqual(entry.tags, [tag])
                try context.save()
                try expectEqual(context.count(for: FetchRequest<Entry>()), 1)
            }
        },
        ConformanceCase("deleting a new object carries its delete rules out, and one that is denied waits for the save")
        {
            bench in
            try await bench.container().perform { context in
                let root = Entry(context: context), reply = Entry(context: context)
                reply.parent = root
                context.delete(root)
                try expect(!context.hasChanges && reply.managedObjectContext == nil)
                let place = Location(context: context), warden = Warden(context: context)
                warden.name = "Ada"
                warden.location = place
                context.delete(place)
                try expect(context.hasChanges)
                try expectError(.deleteDenied) { try context.save() }
                context.delete(warden)
                try context.save()
                try expectEqual(context.count(for: FetchRequest<Location>()), 0)
            }
        },
        ConformanceCase("relationships and predicates no longer show what was deleted once changes are processed") {
            bench in
            try await bench.container().perform { context in
                let place = Location(context: context), tag = Tag(context: context)
                let kept = Entry(context: context), gone = Entry(context: context)
                for entry in [kept, gone] {
                    entry.location = place
                    entry.tags = [tag]
                }
                try context.save()
                let alone = try FetchRequest<Location>(where: "entries.@count == 1")
                context.delete(gone)
                try expectEqual(place.entries, [kept, gone])
                context.processPendingChanges()
                try expect(place.entries == [kept] && tag.entries == [kept])
                try expectEqual(context.fetch(alone), [place])
                context.delete(tag)
                context.delete(place)
                context.processPendingChanges()
                try expect(kept.location == nil && kept.tags.isEmpty)
                try expectEqual(kept.value(forKey: "location"), .null)
                context.rollback()
                try expect(place.entries == [kept, gone] && kept.location === place && kept.tags == [tag])
                try expectEqual(context.fetch(alone), [])
                context.undoManager = ContextUndoManager()
                context.delete(gone)
                context.processPendingChanges()
                try expectEqual(place.entries, [kept])
                context.undo()
                try expectEqual(place.entries, [kept, gone])
                try expect(!context.hasChanges)
            }
        },
        ConformanceCase("a changed to-many relationship marks its owner, whose row is not written", needs: .history) {
            bench in
            try await bench.container().perform { context in
                let place = Location(context: context), tag = Tag(context: context), entry = Entry(context: context)
                try context.save()
                let before = try context.coordinator.currentHistoryToken()
                entry.location = place
                entry.tags = [tag]
                for object in [entry, place, tag] as [ManagedObject] { try expect(object.isUpdated) }
                try expectEqual(Set(context.updatedObjects), [entry, place, tag])
                try expectEqual(place.changedValues, ["entries": .objects([entry.objectID])])
                try expectEqual(tag.changedValues, ["entries": .objects([entry.objectID])])
                try expectEqual(entry.changedValues["tags"]?.objects, [tag.objectID])
                try context.save()
                try expect(!place.isUpdated && place.changedValues.isEmpty)
                let changed = try context.coordinator.history(after: before).flatMap(\.changes).map(\.objectID)
                try expectEqual(changed, [entry.objectID])
                // Their versions are unchanged, so no other context is in conflict with them.
                let other = ManagedObjectContext(coordinator: context.coordinator)
                (try other.existingObject(with: place.objectID) as? Location)?.name = "theirs"
                try other.save()
                place.name = "mine"
                entry.location = nil
                try expectEqual(Set(context.updatedObjects), [entry, place])
                context.rollback()
                try expect(!place.hasChanges && place.entries == [entry])
            }
        },
        ConformanceCase("a dictionary fetch that names no properties gives all attributes") { bench in
            try await bench.container().perform { context in
                let entry = Entry(context: context)
                entry.text = "here"
                entry.count = 7
                try context.save()
                let rows = try context.fetch(DictionaryFetchRequest(entityName: "Entry"))
                try expectEqual(rows.count, 1)
                try expect(rows[0]["text"] == "here" && rows[0]["count"] == 7)
                try expectEqual(
                    Set(rows[0].names), Set(entry.entity.ownProperties.filter { $0.attribute != nil }.map(\.name)))
            }
        },
    ]
}
