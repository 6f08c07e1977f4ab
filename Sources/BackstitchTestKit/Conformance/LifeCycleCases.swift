import Backstitch
import Foundation

extension StoreConformance {
    /// Objects hear of their life cycle in the documented order: awaking, validation, saving, deletion.
    ///
    /// A backend must
    /// - return the rows of a save with their versions; otherwise the next save conflicts with itself;
    /// - leave unchanged objects alone: they are neither written nor informed;
    /// - read deleted objects as missing at once.
    ///
    /// A store fails when it reports a save of rows that it was not asked to write, because their objects are informed
    /// of it.
    static let lifeCycleCases = [
        ConformanceCase("objects are told of their life, in the documented order") { bench in
            let container = try bench.container(.diaries)
            let id = try await container.perform { context in
                let diary = Diary(context: context)
                diary.title = "first"
                diary.titleForSave = "second"
                try context.save()
                try expectEqual(
                    diary.takeCalls(), ["awakeFromInsert", "willSave", "validate second", "didSave second"])
                diary.titleForSave = nil
                diary.title = "third"
                try context.save()
                try expectEqual(
                    diary.takeCalls(), ["willSave", "validateForUpdate", "validate third", "didSave third"])
                try context.save()
                try expectEqual(diary.takeCalls(), [])
                return diary.objectID
            }
            try await container.perform { context in
                guard let diary = try context.fetch(FetchRequest<Diary>()).first else { return try expect(false) }
                try expectEqual(diary.title, "third")
                try expectEqual(diary.takeCalls(), ["awakeFromFetch third"])
                context.refresh(diary, mergeChanges: true)
                try expectEqual(diary.takeCalls(), ["didTurnIntoFault"])
                try expectEqual(diary.title, "third")
                try expectEqual(diary.takeCalls(), ["awakeFromFetch third"])
                for number in 0..<3 {
                    let page = Page(context: context)
                    page.number = number
                    page.diary = diary
                }
                try context.save()
                _ = diary.takeCalls()
                context.delete(diary)
                try expectEqual(diary.takeCalls(), ["prepareForDeletion of 3 pages"])
                try context.save()
                try expectEqual(diary.takeCalls(), ["willSave", "validateForDelete", "didSave, deleted"])
                try expectEqual(try context.count(for: FetchRequest<Page>()), 0)
            }
            try await container.perform { context in
                let diary = try context.object(with: id) as? Diary
                try expectEqual(diary?.title, "")
                try expectEqual(diary?.takeCalls(), [])
            }
        },
        ConformanceCase("an object is told once that it is to be deleted, and again after that was taken back") {
            bench in
            try await bench.container(.diaries).perform { context in
                context.undoManager = ContextUndoManager()
                let diary = Diary(context: context)
                let page = Page(context: context)
                page.diary = diary
                try context.save()
                _ = diary.takeCalls()
                for _ in 0..<2 { context.delete(diary) }
                context.processPendingChanges()
                context.delete(diary)
                try expectEqual(diary.takeCalls(), ["prepareForDeletion of 1 pages"])
                context.undo()
                context.delete(diary)
                try expectEqual(diary.takeCalls(), ["prepareForDeletion of 1 pages"])
            }
        },
        ConformanceCase("an object's own rules can keep it from being deleted") { bench in
            let container = try bench.container(.diaries)
            try await container.perform { context in
                let diary = Diary(context: context)
                diary.title = "dear"
                let page = Page(context: context)
                page.diary = diary
                try context.save()
                diary.mayGo = false
                context.delete(diary)
                try expectError(.validation) { try context.save() }
                diary.mayGo = true
                try context.save()
                try expectEqual(try context.count(for: FetchRequest<Diary>()), 0)
            }
        },
        ConformanceCase("what objects delete when they are told that they go, goes too") { bench in
            let container = try bench.container(.diaries)
            try await container.perform { context in
                let diary = Diary(context: context)
                var pages: [Page] = []
                for number in 0..<6 {
                    let page = Page(context: context)
                    page.number = number
                    pages.last?.next = page
                    pages.append(page)
                }
                // Only one of the six pages is in the diary. The four behind it are reached only by cascading
                // deletions.
                pages[1].diary = diary
                try context.save()
                context.delete(diary)
                try context.save()
                try expectEqual(try context.fetch(FetchRequest<Page>()).map(\.number), [0])
                try expect(pages[0].next == nil)
            }
        },
        ConformanceCase("refreshing all objects reads them anew, and keeps what is not saved") { bench in
            let container = try bench.container(.diaries)
            try await container.perform { context in
                let kept = Diary(context: context), edited = Diary(context: context)
                kept.title = "kept"
                edited.title = "edited"
                try context.save()
                edited.title = "edited, not saved"
                let new = Diary(context: context)
                new.title = "new"
                _ = (kept.takeCalls(), edited.takeCalls())
                context.refreshAllObjects()
                try expect(kept.isFault && !new.isFault)
                try expectEqual([kept.title, edited.title, new.title], ["kept", "edited, not saved", "new"])
                try expectEqual(kept.takeCalls(), ["didTurnIntoFault", "awakeFromFetch kept"])
                try expectEqual(edited.hasChanges, true)
            }
        },
    ]
}
