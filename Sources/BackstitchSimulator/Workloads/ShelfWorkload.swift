import Backstitch
import BackstitchSync

/// Books on shelves, and shelves on shelves. Some shelves are shared where they are. All are made, changed, moved below
/// others and away, and deleted. Books have authors without a parent, so no guest sees an author.
final class ShelfWorkload: Workload {
    private unowned let world: World
    private var scheduler: Scheduler { world.scheduler }
    /// The authors of books. They never change.
    private var authors: [ObjectKey: ObjectKey] = [:]

    init(_ world: World) { self.world = world }

    func act(on device: SimulatedDevice) throws {
        do {
            try device.edit { context, promises in
                for _ in 0..<Int(scheduler.pick(1...3)) {
                    try step(context, &promises, world.uniqueText(device), isGuest: device.guest != nil)
                }
            }
        } catch let error as BackstitchError where error.code == .crossZoneRelationship {
            // Shelves of the owner move between zones.
            world.situations.note("a link from one zone to another was refused")
        }
    }

    private func step(
        _ context: ManagedObjectContext, _ promises: inout Promises, _ text: String, isGuest: Bool
    ) throws {
        let shelves = try context.fetch(FetchRequest<SimulatedShelf>()).filter { !$0.isDeleted }
        let books = try context.fetch(FetchRequest<SimulatedBook>()).filter { !$0.isDeleted }
        let shelf = world.any(shelves), book = world.any(books)
        switch scheduler.pick(0...11) {
        case 0:
            let new = SimulatedShelf(context: context)
            promises.set(new, "name", text)
            // A guest may not make an object without a parent, and tries it now and then.
            if scheduler.chance(isGuest ? 950 : 700) { new["parent"] = shelf }
            world.sharing.objects.shelves.append(new.key)
            promises.say("makes shelf \(new.label) \(text) on \(shelf?.label ?? "nothing")")
        case 1...3:
            let new = SimulatedBook(context: context)
            promises.set(new, "text", text)
            if scheduler.chance(950) { new["shelf"] = shelf }
            if !isGuest, scheduler.chance(500) { try write(new, context) }
            promises.say("puts book \(new.label) \(text) on \(shelf?.label ?? "nothing")")
        case 4:
            promises.set(shelf, "name", text)
            promises.say("names shelf \(shelf?.label ?? "nothing") \(text)")
        case 5, 6:
            promises.set(book, "text", text)
            promises.say("writes \(text) into book \(book?.label ?? "nothing")")
        case 7, 8:
            let place = scheduler.chance(200) ? nil : shelf
            book?["shelf"] = place
            promises.say("moves book \(book?.label ?? "nothing") to \(place?.label ?? "nothing")")
        case 9:
            let place = scheduler.chance(250) ? nil : world.any(shelves)
            if place !== shelf { shelf?["parent"] = place }
            promises.say("moves shelf \(shelf?.label ?? "nothing") to \(place?.label ?? "nothing")")
        default:
            let gone: ManagedObject? = scheduler.chance(200) ? shelf : book
            guard let gone else { return }
            promises.deletions.append(gone.key)
            promises.say("deletes \(gone.entity.name) \(gone.label)")
            context.delete(gone)
        }
    }

    private func write(_ book: SimulatedBook, _ context: ManagedObjectContext) throws {
        let known = try context.fetch(FetchRequest<SimulatedAuthor>()).filter { !$0.isDeleted }
        let author = scheduler.chance(500) ? world.any(known) ?? SimulatedAuthor(context: context) : world.any(known)
        book["author"] = author
        if let author { authors[book.key] = author.key }
    }

    func judge(_ device: SimulatedDevice) throws {
        guard device.database == .private else { return }
        try device.read { context in
            for book in try context.fetch(FetchRequest<SimulatedBook>()) {
                guard let author = authors[book.key] else { continue }
                let found: SimulatedAuthor? = book["author"]
                if found?.key != author {
                    world.fail("\(device.name) has book \(book.label) without its author, which nobody has taken away")
                }
            }
        }
    }
}
