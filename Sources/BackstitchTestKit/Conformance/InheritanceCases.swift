import Backstitch
import Foundation

private class Animal: ManagedObject {
    var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    var owner: Keeper? {
        get { self["owner"] }
        set { self["owner"] = newValue }
    }
    var friends: Set<Animal> {
        get { self["friends"] }
        set { self["friends"] = newValue }
    }
}

private class Dog: Animal {
    var tricks: Int {
        get { self["tricks"] }
        set { self["tricks"] = newValue }
    }
    var walker: Keeper? {
        get { self["walker"] }
        set { self["walker"] = newValue }
    }
}

private final class Puppy: Dog {
    var weeks: Int {
        get { self["weeks"] }
        set { self["weeks"] = newValue }
    }
}

private final class Bird: Animal {
    var song: String? {
        get { self["song"] }
        set { self["song"] = newValue }
    }
    var toys: Set<Toy> {
        get { self["toys"] }
        set { self["toys"] = newValue }
    }
}

private final class Keeper: ManagedObject {
    var animals: Set<Animal> {
        get { self["animals"] }
        set { self["animals"] = newValue }
    }
    var walks: Set<Dog> {
        get { self["walks"] }
        set { self["walks"] = newValue }
    }
}

private final class Toy: ManagedObject {
    var birds: Set<Bird> {
        get { self["birds"] }
        set { self["birds"] = newValue }
    }
}

extension ManagedObjectModel {
    fileprivate static let zoo = zoo(unique: false)

    fileprivate static func zoo(unique: Bool) -> ManagedObjectModel {
        ManagedObjectModel([
            EntityDescription(
                "Puppy", class: Puppy.self, parent: "Dog", [.attribute("weeks", .integer16, default: 8)]),
            EntityDescription(
                "Animal", class: Animal.self, abstract: true, unique: unique ? [["name"]] : [],
                [
                    .attribute("name", .string), .toOne("owner", "Keeper", inverse: "animals"),
                    .toMany("friends", "Animal", inverse: "friendOf"),
                    .toMany("friendOf", "Animal", inverse: "friends"),
                ]),
            EntityDescription(
                "Dog", class: Dog.self, parent: "Animal",
                [
                    .attribute("tricks", .integer64, optional: false, default: 0),
                    .toOne("walker", "Keeper", inverse: "walks"),
                ]),
            EntityDescription(
                "Bird", class: Bird.self, parent: "Animal", unique: unique ? [["song"]] : [],
                [
                    .attribute("song", .string, optional: false, default: "tweet"),
                    .toMany("toys", "Toy", inverse: "birds"),
                ]),
            EntityDescription(
                "Keeper", class: Keeper.self,
                [
                    .toMany("animals", "Animal", inverse: "owner", delete: .cascade),
                    .toMany("walks", "Dog", inverse: "walker"),
                ]),
            EntityDescription("Toy", class: Toy.self, [.toMany("birds", "Bird", inverse: "toys")]),
        ])
    }
}

extension StoreConformance {
    static let inheritanceCases = [
        family("a fetch of a parent gives objects of each entity, each of its own class") { context in
            let zoo = try Zoo(context)
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let request = FetchRequest<Animal>(sortedBy: [.ascending("name")])
            for each in [context, other] {
                let found = try each.fetch(request)
                try expectEqual(found.map(\.name), ["Ada", "Bo", "Cy"])
                try expectEqual(found.map(\.entity.name), ["Dog", "Puppy", "Bird"])
                try expectEqual(found.map(\.objectID), [zoo.dog, zoo.puppy, zoo.bird].map(\.objectID))
                try expect(found[0] is Dog && found[1] is Puppy && found[2] is Bird)
                try expectEqual(try each.count(for: request), 3)
                try expectEqual(try each.fetchObjectIDs(request), found.map(\.objectID))
                try expectEqual(try each.fetch(FetchRequest<Dog>()).count, 2)
                try expectEqual(try each.fetch(FetchRequest<Puppy>()).count, 1)
                try expectEqual(try each.count(for: FetchRequest<Bird>()), 1)
                try expectEqual((found[1] as? Puppy)?.weeks, 8)
                try expectEqual((found[2] as? Bird)?.song, "tweet")
            }
        },
        family("batch requests on a parent reach all kinds, and tell of each by its own entity") { context in
            let zoo = try Zoo(context)
            try context.execute(
                BatchInsertRequest(
                    entityName: "Puppy", objects: [["name": "Di", "owner": .object(zoo.keeper.objectID)]]))
            let renamed = try context.execute(
                BatchUpdateRequest(
                    entityName: "Animal", where: Key<String>("name") > "Ada", set: ["name": .key("name") + "!"],
                    resultType: .objectIDs))
            try expectEqual(Set(renamed.objectIDs.map(\.entityName)), ["Puppy", "Bird"])
            try expectEqual(renamed.count, 3)
            try expectEqual(zoo.bird.name, "Cy!")
            let constant = try context.execute(
                BatchUpdateRequest(entityName: "Dog", set: ["name": "dog"], resultType: .objectIDs))
            try expectEqual(Set(constant.objectIDs.map(\.entityName)), ["Dog", "Puppy"])
            var dogs = BatchUpdateRequest(entityName: "Dog", set: ["tricks": 3], resultType: .count)
            dogs.includesSubentities = false
            try expectEqual(context.execute(dogs).count, 1)
            var sums = DictionaryFetchRequest(entityName: "Dog", [.count(as: "n"), .sum("tricks", as: "tricks")])
            try expectEqual(Array(context.fetch(sums)[0].values), [3, 3])
            sums.includesSubentities = false
            try expectEqual(Array(context.fetch(sums)[0].values), [1, 3])
            try expectEqual(zoo.bird.name, "Cy!")
            try expectError(.invalidRequest) {
                try context.execute(BatchUpdateRequest(entityName: "Animal", set: ["song": "x"]))
            }
            let gone = try context.execute(
                BatchDeleteRequest(FetchRequest<Keeper>(), resultType: .objectIDs))
            try expectEqual(Set(gone.objectIDs.map(\.entityName)), ["Keeper", "Dog", "Puppy"])
            try expect(zoo.dog.managedObjectContext == nil && zoo.puppy.managedObjectContext != nil)
            try context.execute(BatchDeleteRequest(FetchRequest<Dog>()))
            try expectEqual(context.fetch(FetchRequest<Animal>()), [zoo.bird])
        },
        family("a fetch without subentities gives objects of the entity itself") { context in
            let zoo = try Zoo(context)
            var dogs = FetchRequest<Dog>()
            dogs.includesSubentities = false
            try expectEqual(try context.fetch(dogs), [zoo.dog])
            let new = Puppy(context: context)
            try expectEqual(try context.count(for: dogs), 1)
            try expectEqual(try context.count(for: FetchRequest<Dog>()), 3)
            try expectEqual(try Set(context.fetch(FetchRequest<Animal>())), [zoo.dog, zoo.puppy, zoo.bird, new])
        },
        family("predicates of a parent's properties find objects of all kinds; a child's are not the parent's") {
            context in
            let zoo = try Zoo(context)
            zoo.bird.owner = zoo.keeper
            zoo.puppy.friends = [zoo.bird]
            try context.save()
            func names(_ format: String, _ arguments: any PredicateArgument...) throws -> [String?] {
                let predicate = try FetchPredicate(format: format, arguments: arguments)
                let request = FetchRequest<Animal>(predicate: predicate, sortedBy: [.ascending("name")])
                return try ManagedObjectContext(coordinator: context.coordinator).fetch(request).map(\.name)
            }
            try expectEqual(try names("owner == %@", zoo.keeper), ["Ada", "Cy"])
            try expectEqual(try names("ANY friends == %@", zoo.bird), ["Bo"])
            try expectEqual(try names("ANY friends.name == 'Cy' OR name BEGINSWITH 'A'"), ["Ada", "Bo"])
            try expectEqual(try names("SELF IN %@", [zoo.dog.objectID, zoo.bird.objectID]), ["Ada", "Cy"])
            try expectEqual(
                try context.fetch(FetchRequest<Keeper>(where: "ANY animals == %@", zoo.bird)), [zoo.keeper])
            try expectEqual(
                try context.fetch(FetchRequest<Dog>(where: "tricks >= 0 AND name == 'Bo'")).map(\.objectID),
                [zoo.puppy.objectID])
            try expectError(.invalidPredicate) { _ = try names("tricks > 0") }
            try expectError(.invalidPredicate) { _ = try context.fetch(FetchRequest<Dog>(where: "song == 'x'")) }
        },
        family("a relationship to a parent leads to objects of every kind, one to a child to that kind only") {
            context in
            let zoo = try Zoo(context)
            zoo.keeper.animals = [zoo.dog, zoo.bird]
            zoo.puppy.walker = zoo.keeper
            zoo.bird.friends = [zoo.dog, zoo.puppy]
            zoo.bird.toys = [Toy(context: context)]
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let keeper = try other.existingObject(with: zoo.keeper.objectID) as? Keeper
            try expectEqual(Set(keeper?.animals.map(\.objectID) ?? []), [zoo.dog.objectID, zoo.bird.objectID])
            try expectEqual(keeper?.walks.map(\.objectID), [zoo.puppy.objectID])
            let bird = keeper?.animals.compactMap { $0 as? Bird }.first
            try expectEqual(bird?.friends.count, 2)
            try expectEqual(bird?.toys.first?.birds, bird.map { [$0] })
            try expect(bird?.owner === keeper)
            try expectError(.invalidValue) { try zoo.keeper.add(zoo.bird, to: "walks") }
            try expectError(.invalidRequest) { _ = try zoo.dog.value(forKey: "song") }
            try expectEqual(
                Set(zoo.dog.entity.ownProperties.map(\.name)).isSuperset(of: ["name", "tricks", "owner"]), true)
        },
        family("an identity says the object's own entity, and is understood by a parent's name") { context in
            let zoo = try Zoo(context)
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let called = ObjectID(entityName: "Animal", key: zoo.puppy.key)
            let found = try other.existingObject(with: called)
            try expect(found is Puppy)
            try expectEqual(found.objectID, zoo.puppy.objectID)
            try expect(other.registeredObject(for: called) === found)
            let third = ManagedObjectContext(coordinator: context.coordinator)
            try expect(try third.object(with: called) is Puppy)
        },
        family("objects of a family are changed, deleted and cascaded to like others") { context in
            let zoo = try Zoo(context)
            zoo.puppy.weeks = 9
            zoo.puppy.name = "Bob"
            zoo.dog.friends = [zoo.puppy, zoo.bird]
            zoo.keeper.animals = [zoo.dog, zoo.bird]
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let puppy = try other.existingObject(with: zoo.puppy.objectID) as? Puppy
            try expectEqual(puppy?.weeks, 9)
            try expectEqual(puppy?.changedValues, [:])
            context.delete(zoo.keeper)
            try context.save()
            try expectEqual(try context.fetch(FetchRequest<Animal>()), [zoo.puppy])
            zoo.puppy.name = "Ben"
            context.rollback()
            try expectEqual(zoo.puppy.name, "Bob")
        },
        family("a child context works on a family as its parent does") { context in
            let zoo = try Zoo(context)
            let child = ManagedObjectContext(parent: context)
            let mine = try child.fetch(FetchRequest<Animal>(sortedBy: [.ascending("name")]))
            try expect(mine[1] is Puppy && mine[2] is Bird)
            (mine[2] as? Bird)?.song = "chirp"
            let new = Puppy(context: child)
            new.weeks = 1
            mine[0].friends = [mine[2], new]
            new.owner = try child.existingObject(with: zoo.keeper.objectID) as? Keeper
            try child.save()
            try expectEqual(zoo.bird.song, "chirp")
            try expectEqual(zoo.dog.friends.count, 2)
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let found = try other.existingObject(with: new.objectID) as? Puppy
            try expectEqual(found?.weeks, 1)
            try expectEqual(found?.owner?.objectID, zoo.keeper.objectID)
        },
        family("values of a family are fetched for the entity that is asked for") { context in
            _ = try Zoo(context)
            for (entity, names) in [("Animal", ["Ada", "Bo", "Cy"]), ("Dog", ["Ada", "Bo"]), ("Bird", ["Cy"])] {
                let rows = try context.fetch(
                    DictionaryFetchRequest(
                        entityName: entity, [.key("name")], where: FetchPredicate(format: "name != nil"),
                        sortedBy: [.ascending("name")]))
                try expectEqual(rows.map { $0["name"] }, names.map { .string($0) })
            }
        },
        family("there are no objects of an abstract entity") { context in
            try expectError(.invalidRequest) { _ = try context.insertObject(entityName: "Animal") }
            _ = Animal(context: context)
            try expectError(.invalidRequest) { try context.save() }
        },
        family("objects that lack a value that another kind needs can be saved; those that need it cannot") { context in
            let bird = Bird(context: context)
            _ = Dog(context: context)
            try context.save()
            bird.song = nil
            let error = try expectError(.validation) { try context.save() }
            try expectEqual(error.key, "song")
        },
        family("a conflict over an object of a family is settled like others") { context in
            let zoo = try Zoo(context)
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let theirs = try other.existingObject(with: zoo.puppy.objectID) as? Puppy
            theirs?.weeks = 20
            try other.save()
            zoo.puppy.name = "mine"
            try expectError(.saveConflict) { try context.save() }
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            try expectEqual(zoo.puppy.weeks, 20)
            try expectEqual(zoo.puppy.name, "mine")
        },
        ConformanceCase(
            "a parent's unique constraint holds across its children", needs: .inheritance, .uniqueConstraints
        ) { bench in
            try await bench.container(.zoo(unique: true)).perform { context in
                let zoo = try Zoo(context)
                let rival = Puppy(context: context)
                rival.name = "Ada"
                let error = try expectError(.constraint) { try context.save() }
                try expectEqual(error.constraintConflict?.objectID, rival.objectID)
                try expectEqual(error.constraintConflict?.otherObjectID, zoo.dog.objectID)
                context.mergePolicy = .mergeByPropertyStoreTrump
                rival.owner = zoo.keeper
                try context.save()
                try expectEqual(try context.count(for: FetchRequest<Animal>()), 3)
                try expect(zoo.dog.owner === zoo.keeper)
                let bird = Bird(context: context)
                context.mergePolicy = .error
                try expectError(.constraint) { try context.save() }
                bird.song = "other"
                try context.save()
            }
        },
        ConformanceCase("a family is there when the store is opened again", needs: .inheritance) { bench in
            guard bench.store.isDurable else { return }
            let container = try bench.container(.zoo)
            try await container.perform { _ = try Zoo($0) }
            let again = try bench.reopen(container, .zoo)
            let names = try await again.perform { context in
                try context.fetch(FetchRequest<Animal>(sortedBy: [.ascending("name")])).map(\.objectID.entityName)
            }
            try expectEqual(names, ["Dog", "Puppy", "Bird"])
            try again.close()
        },
    ]

    private static func family(
        _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: .inheritance) { try await $0.container(.zoo).perform(body) }
    }
}

/// A saved dog Ada with a keeper, a puppy Bo, and a bird Cy.
private struct Zoo {
    let dog: Dog
    let puppy: Puppy
    let bird: Bird
    let keeper: Keeper

    init(_ context: ManagedObjectContext) throws {
        dog = Dog(context: context)
        puppy = Puppy(context: context)
        bird = Bird(context: context)
        keeper = Keeper(context: context)
        (dog.name, puppy.name, bird.name) = ("Ada", "Bo", "Cy")
        if dog.entity.uniquenessConstraints.isEmpty { dog.owner = keeper }
        try context.save()
    }
}
