import BackstitchSQLite
import BackstitchTestKit
import Foundation
import Synchronization
import Testing

@testable import Backstitch

/// Objects reached only through relationships appear and disappear with each look, unless something keeps them.
@Suite("to-one relationships whose targets the program does not hold", .serialized)
struct UnheldTargetTests {
    @Test("a target is made once for all that lead to it", arguments: [1, 100, 4_000])
    func madeOnce(targets: Int) async throws {
        let container = try PersistentContainer(model: .targets, store: .init(type: .sqlite))
        try await container.perform { context in
            let all = (0..<targets).map { _ in Target(context: context) }
            for index in 0..<4_000 { Source(context: context).target = all[index % targets] }
            try context.save()
        }
        try await container.perform { context in
            let sources = try context.fetch(FetchRequest<Source>())
            Target.made.withLock { $0 = 0 }
            for source in sources { #expect(try source.target?.value(forKey: "name") == .string("T")) }
            #expect(Target.made.withLock { $0 } == targets)
            #expect(context._checkInvariants() == [])
        }
        try container.close()
    }

    @Test("a search passes no more places when one object has come and gone many times")
    func searches() async throws {
        let container = try PersistentContainer(model: .targets, store: .init(type: .sqlite))
        try await container.perform { context in
            // One that leads to its like could keep itself, so it is not kept.
            let first = Source(context: context)
            for _ in 0..<4_000 { Source(context: context).former = first }
            try context.save()
        }
        try await container.perform { context in
            let sources = try context.fetch(FetchRequest<Source>()).filter { $0.former != nil }
            try #require(sources.count == 4_000)
            let key = try #require(sources[0].former?.key)
            var longest = 0
            for source in sources {
                #expect(try source.former?.value(forKey: "name") == .string("S"))
                longest = max(longest, context.identityMap.table._stepsOfSearch(for: key))
            }
            #expect(longest < 200, "a search takes \(longest) steps")
            #expect(context.registeredObjectCount == 4_000)
        }
        try container.close()
    }

    @Test("targets go with the last that led to them, and with the context's objects")
    func goneAgain() async throws {
        let container = try PersistentContainer(model: .targets, store: .init(type: .sqlite))
        try await container.perform { context in
            let source = Source(context: context)
            source.target = Target(context: context)
            source.former = source
            try context.save()
        }
        let coordinator = container.coordinator
        weak var gone: ManagedObjectContext?
        try {
            let context = ManagedObjectContext(coordinator: coordinator)
            gone = context
            var sources = try context.fetch(FetchRequest<Source>())
            #expect(sources[0].target != nil && sources[0].former === sources[0])
            #expect(context.registeredObjectCount == 2)
            context.refresh(sources[0], mergeChanges: true)
            context.processPendingChanges()
            #expect(context.registeredObjectCount == 1)
            #expect(sources[0].target != nil)
            sources = []
            #expect(context.registeredObjectCount == 0)
        }()
        #expect(gone == nil)
        try container.close()
    }

    @Test("lists of a context do not grow with what has come and gone")
    func lists() async throws {
        let container = try PersistentContainer(model: .targets, store: .init(type: .sqlite))
        try await container.perform { context in
            let targets = (0..<40).map { _ in Target(context: context) }
            try context.save()
            targets[0].name = "changed"
            for step in 0..<2_000 {
                let target = targets[1 + step % 39]
                target.name = "\(step)"
                context.refresh(target, mergeChanges: false)
                context.delete(Target(context: context))
                #expect(context.insertedObjects.isEmpty)
                #expect(context._checkInvariants() == [], "step \(step)")
            }
            #expect(context.updatedObjects == [targets[0]])
        }
        try container.close()
    }

    @Test("new objects with links are taken out one by one, and the links of others stay")
    func vanishing() async throws {
        let container = try PersistentContainer(model: .targets, store: .init(type: .sqlite))
        try await container.perform { context in
            let kept = Target(context: context)
            var gone: [Source] = []
            for _ in 0..<3_000 {
                Source(context: context).target = kept
                let source = Source(context: context)
                source.target = Target(context: context)
                gone.append(source)
            }
            for source in gone {
                context.delete(source)
                #expect(context.deletedObjects.isEmpty)
            }
            #expect(context.insertedObjects.count == 6_001 && context._checkInvariants() == [])
        }
        try container.close()
    }
}

private final class Source: ManagedObject {
    var target: Target? {
        get { self["target"] }
        set { self["target"] = newValue }
    }
    var former: Source? {
        get { self["former"] }
        set { self["former"] = newValue }
    }
}

private final class Target: ManagedObject {
    static let made = Mutex(0)
    var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    override func awakeFromFetch() { Self.made.withLock { $0 += 1 } }
}

extension ManagedObjectModel {
    fileprivate static var targets: ManagedObjectModel {
        ManagedObjectModel([
            EntityDescription(
                "Source", class: Source.self,
                [
                    .attribute("name", .string, default: "S"), .toOne("target", "Target", inverse: "sources"),
                    .toOne("former", "Source", inverse: "later"), .toMany("later", "Source", inverse: "former"),
                ]),
            EntityDescription(
                "Target", class: Target.self,
                [.attribute("name", .string, default: "T"), .toMany("sources", "Source", inverse: "target")]),
        ])
    }
}
