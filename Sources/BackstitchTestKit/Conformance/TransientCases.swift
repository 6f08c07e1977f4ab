import Backstitch
import Foundation

extension StoreConformance {
    /// Transient attributes live with the object in memory. They are changes of it, and a store does not see them.
    ///
    /// A backend must
    /// - take rows that have no column for them;
    /// - write nothing, and raise no version, for a save of only such changes.
    ///
    /// A store fails when it counts properties instead of columns: the slots behind a transient attribute are then
    /// shifted.
    static let transientCases = [
        ConformanceCase("a transient attribute is a change of its object, and stays with it, but is not stored") {
            bench in
            let container = try bench.container(.diaries)
            let id = try await container.perform { context in
                let diary = Diary(context: context)
                diary.title = "one"
                try expectEqual(diary.hint, "none")
                diary.hint = "first"
                try context.save()
                try expect(!diary.hasChanges)
                diary.isSelected = true
                try expect(diary.isUpdated && context.hasChanges && !diary.hasPersistentChangedValues)
                try expectEqual(diary.changedValues, ["isSelected": .value(true)])
                try context.save()
                try expect(!diary.hasChanges && !context.hasChanges)
                try expect(diary.isSelected)
                try expectEqual(diary.hint, "first")
                return diary.objectID
            }
            try await container.perform { context in
                guard let diary = try context.existingObject(with: id) as? Diary else { return try expect(false) }
                try expectEqual(diary.title, "one")
                try expect(!diary.isSelected)
                try expectEqual(diary.hint, "none")
            }
            try container.close()
        },
        ConformanceCase("a save of nothing but transient attributes writes nothing") { bench in
            let container = try bench.container(.diaries)
            try await container.perform { context in
                let diary = Diary(context: context)
                try context.save()
                let other = ManagedObjectContext(coordinator: context.coordinator)
                let theirs = try other.existingObject(with: diary.objectID) as? Diary
                diary.hint = "mine"
                try context.save()
                theirs?.title = "no conflict"
                try other.save()
            }
        },
        ConformanceCase("a rollback gives transient attributes back what they had at the last save") { bench in
            try await bench.container(.diaries).perform { context in
                let diary = Diary(context: context)
                diary.hint = "saved"
                try context.save()
                diary.hint = "changed"
                diary.isSelected = true
                context.rollback()
                try expectEqual(diary.hint, "saved")
                try expect(!diary.isSelected && !diary.hasChanges)
                diary.isSelected = true
                diary.isSelected = false
                try expect(!diary.hasChanges)
                context.refresh(diary, mergeChanges: false)
                try expectEqual(diary.hint, "none")
            }
        },
        ConformanceCase("a child context reads its parent's transient attributes and hands its own up") { bench in
            try await bench.container(.diaries).perform { context in
                let diary = Diary(context: context)
                diary.hint = "parent"
                try context.save()
                let child = ManagedObjectContext(parent: context)
                guard let mine = try child.existingObject(with: diary.objectID) as? Diary else {
                    return try expect(false)
                }
                try expectEqual(mine.hint, "parent")
                mine.hint = "child"
                mine.isSelected = true
                let new = Diary(context: child)
                new.hint = "new"
                try expectEqual(diary.hint, "parent")
                try child.save()
                try expectEqual(diary.hint, "child")
                try expect(diary.isSelected && diary.hasChanges)
                try expectEqual((context.registeredObject(for: new.objectID) as? Diary)?.hint, "new")
                try context.save()
            }
        },
        ConformanceCase("a fetch by a transient attribute is refused by name; objects in memory can be asked") {
            bench in
            try await bench.container(.diaries).perform { context in
                let diary = Diary(context: context)
                diary.hint = "here"
                let requests = [
                    try FetchRequest<Diary>(where: "title == 'x' OR NOT hint == 'here'"),
                    FetchRequest<Diary>(sortedBy: [.ascending("hint")]),
                ]
                for request in requests {
                    let error = try expectError(.invalidPredicate) { _ = try context.fetch(request) }
                    try expectEqual(error.key, "hint")
                    try expectError(.invalidPredicate) { _ = try context.count(for: request) }
                }
                let nested = [
                    try FetchRequest<Page>(where: "diary.hint == 'here'"),
                    try FetchRequest<Page>(
                        where: "SUBQUERY(diary.pages, $p, $p.diary.isSelected == YES).@count > 0"),
                ]
                for request in nested { try expectError(.invalidPredicate) { _ = try context.fetch(request) } }
                let predicate = try FetchPredicate(format: "hint == 'here'").resolved(
                    for: diary.entity, in: context.model)
                try expect(try predicate.evaluate(diary))
            }
        },
        ConformanceCase("a transient attribute that is set while its object is read is no change") { bench in
            let container = try bench.container(.awaking)
            let id = try await container.perform { context in
                let alarm = Alarm(context: context)
                alarm.name = "tea"
                try expectEqual(alarm.shown, "new")
                try context.save()
                return alarm.objectID
            }
            try await container.perform { context in
                context.undoManager = ContextUndoManager()
                guard let alarm = try context.fetch(FetchRequest<Alarm>()).first else { return try expect(false) }
                func check(_ moment: String) throws {
                    try expectEqual(alarm.shown, "TEA", moment)
                    try expect(!alarm.hasChanges && !context.hasChanges, moment)
                    try expect(context.updatedObjects.isEmpty && context.undoManager?.canUndo == false, moment)
                }
                try check("fetched")
                context.processPendingChanges()
                try check("processed")
                context.undo()
                try check("undone")
                context.rollback()
                try check("rolled back")
                for keeps in [true, false] {
                    context.refresh(alarm, mergeChanges: keeps)
                    try expect(!context.hasChanges && context.undoManager?.canUndo == false, "let go")
                    try check("refreshed, \(keeps)")
                }
                context.refreshAllObjects()
                try check("all refreshed")
                alarm.shown = "mine"
                try expect(alarm.hasChanges && context.undoManager?.canUndo == true)
                context.undo()
                try check("a change was undone")
                alarm.shown = "mine"
                context.rollback()
                try check("a change was rolled back")
            }
            try await container.perform { context in
                guard let fault = try context.object(with: id) as? Alarm else { return try expect(false) }
                try expectEqual(fault.shown, "TEA", "a fault")
                let child = ManagedObjectContext(parent: context)
                try expectEqual((try child.existingObject(with: id) as? Alarm)?.shown, "TEA", "in a child")
                try expect(!child.hasChanges && !context.hasChanges)
                try child.save()
                try expect(!context.hasChanges)
                // The other object is not being read: setting one of its attributes is a change.
                let other = Alarm(context: context)
                try context.save()
                fault.neighbour = other
                context.refresh(fault, mergeChanges: true)
                _ = fault.name
                try expect(other.hasChanges && !fault.hasChanges)
            }
        },
        ConformanceCase("a transient attribute that must have a value keeps an object without one from being saved") {
            bench in
            try await bench.container(.diaries).perform { context in
                let diary = Diary(context: context)
                diary.hint = nil
                let error = try expectError(.validation) { try context.save() }
                try expectEqual(error.key, "hint")
                diary.hint = "now"
                try context.save()
            }
        },
    ]
}
