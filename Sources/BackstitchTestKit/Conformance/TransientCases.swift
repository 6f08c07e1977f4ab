import Backstitch
import Foundation

/// A draft with two attributes that live in memory only.
private final class Draft: ManagedObject {
    var title: String {
        get { self["title"] }
        set { self["title"] = newValue }
    }
    var isSelected: Bool {
        get { self["isSelected"] }
        set { self["isSelected"] = newValue }
    }
    var hint: String? {
        get { self["hint"] }
        set { self["hint"] = newValue }
    }
    var parts: Set<DraftPart> {
        get { self["parts"] }
        set { self["parts"] = newValue }
    }
}

private final class DraftPart: ManagedObject {
    var draft: Draft? {
        get { self["draft"] }
        set { self["draft"] = newValue }
    }
}

extension ManagedObjectModel {
    fileprivate static let drafts = ManagedObjectModel([
        EntityDescription(
            "Draft", class: Draft.self,
            [
                .attribute("isSelected", .boolean, default: false, transient: true),
                .attribute("title", .string, default: ""),
                .attribute("hint", .string, optional: false, default: "none", transient: true),
                .toMany("parts", "Part", inverse: "draft"),
            ]),
        EntityDescription("Part", class: DraftPart.self, [.toOne("draft", "Draft", inverse: "parts")]),
    ])
}

extension StoreConformance {
    static let transientCases = [
        ConformanceCase("a transient attribute is a change of its object, and stays with it, but is not stored") {
            bench in
            let container = try bench.container(.drafts)
            let id = try await container.perform { context in
                let draft = Draft(context: context)
                draft.title = "one"
                try expectEqual(draft.hint, "none")
                draft.hint = "first"
                try context.save()
                try expect(!draft.hasChanges)
                draft.isSelected = true
                try expect(draft.isUpdated && context.hasChanges && !draft.hasPersistentChangedValues)
                try expectEqual(draft.changedValues, ["isSelected": .value(true)])
                try context.save()
                try expect(!draft.hasChanges && !context.hasChanges)
                try expect(draft.isSelected)
                try expectEqual(draft.hint, "first")
                return draft.objectID
            }
            try await container.perform { context in
                guard let draft = try context.existingObject(with: id) as? Draft else { return try expect(false) }
                try expectEqual(draft.title, "one")
                try expect(!draft.isSelected)
                try expectEqual(draft.hint, "none")
            }
            try container.close()
        },
        ConformanceCase("a save of nothing but transient attributes writes nothing") { bench in
            let container = try bench.container(.drafts)
            try await container.perform { context in
                let draft = Draft(context: context)
                try context.save()
                let other = ManagedObjectContext(coordinator: context.coordinator)
                let theirs = try other.existingObject(with: draft.objectID) as? Draft
                draft.hint = "mine"
                try context.save()
                theirs?.title = "no conflict"
                try other.save()
            }
        },
        ConformanceCase("a rollback gives transient attributes back what they had at the last save") { bench in
            try await bench.container(.drafts).perform { context in
                let draft = Draft(context: context)
                draft.hint = "saved"
                try context.save()
                draft.hint = "changed"
                draft.isSelected = true
                context.rollback()
                try expectEqual(draft.hint, "saved")
                try expect(!draft.isSelected && !draft.hasChanges)
                draft.isSelected = true
                draft.isSelected = false
                try expect(!draft.hasChanges)
                context.refresh(draft, mergeChanges: false)
                try expectEqual(draft.hint, "none")
            }
        },
        ConformanceCase("a child context reads its parent's transient attributes and hands its own up") { bench in
            try await bench.container(.drafts).perform { context in
                let draft = Draft(context: context)
                draft.hint = "parent"
                try context.save()
                let child = ManagedObjectContext(parent: context)
                guard let mine = try child.existingObject(with: draft.objectID) as? Draft else {
                    return try expect(false)
                }
                try expectEqual(mine.hint, "parent")
                mine.hint = "child"
                mine.isSelected = true
                let new = Draft(context: child)
                new.hint = "new"
                try expectEqual(draft.hint, "parent")
                try child.save()
                try expectEqual(draft.hint, "child")
                try expect(draft.isSelected && draft.hasChanges)
                try expectEqual((context.registeredObject(for: new.objectID) as? Draft)?.hint, "new")
                try context.save()
            }
        },
        ConformanceCase("a fetch by a transient attribute is refused by name; objects in memory can be asked") {
            bench in
            try await bench.container(.drafts).perform { context in
                let draft = Draft(context: context)
                draft.hint = "here"
                let requests = [
                    try FetchRequest<Draft>(where: "title == 'x' OR NOT hint == 'here'"),
                    FetchRequest<Draft>(sortedBy: [.ascending("hint")]),
                ]
                for request in requests {
                    let error = try expectError(.invalidPredicate) { _ = try context.fetch(request) }
                    try expectEqual(error.key, "hint")
                    try expectError(.invalidPredicate) { _ = try context.count(for: request) }
                }
                let nested = [
                    try FetchRequest<DraftPart>(where: "draft.hint == 'here'"),
                    try FetchRequest<DraftPart>(
                        where: "SUBQUERY(draft.parts, $p, $p.draft.isSelected == YES).@count > 0"),
                ]
                for request in nested { try expectError(.invalidPredicate) { _ = try context.fetch(request) } }
                let predicate = try FetchPredicate(format: "hint == 'here'").resolved(
                    for: draft.entity, in: context.model)
                try expect(try predicate.evaluate(draft))
            }
        },
        ConformanceCase("a transient attribute that must have a value keeps an object without one from being saved") {
            bench in
            try await bench.container(.drafts).perform { context in
                let draft = Draft(context: context)
                draft.hint = nil
                let error = try expectError(.validation) { try context.save() }
                try expectEqual(error.key, "hint")
                draft.hint = "now"
                try context.save()
            }
        },
    ]
}
