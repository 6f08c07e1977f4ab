import Backstitch

/// Notes in folders, with tags. They are made, changed, moved, linked, and deleted with their dependents.
struct ChurnWorkload: Workload {
    private unowned let world: World
    private var scheduler: Scheduler { world.scheduler }

    init(_ world: World) { self.world = world }

    func act(on device: SimulatedDevice) throws {
        if scheduler.chance(150) { return try tagSlowly(on: device) }
        try device.edit { context, promises in
            for _ in 0..<Int(scheduler.pick(1...3)) { try step(context, &promises, world.uniqueText(device)) }
        }
    }

    private func step(_ context: ManagedObjectContext, _ promises: inout Promises, _ text: String) throws {
        let notes = try context.fetch(FetchRequest<SimulatedNote>()).filter { !$0.isDeleted }
        let folders = try context.fetch(FetchRequest<SimulatedFolder>()).filter { !$0.isDeleted }
        let tags = try context.fetch(FetchRequest<SimulatedTag>()).filter { !$0.isDeleted }
        let note = world.any(notes)
        switch scheduler.pick(0...13) {
        case 0...2:
            let note = SimulatedNote(context: context)
            promises.set(note, "title", text)
            if let folder = world.any(folders) { note["folder"] = folder }
            promises.say("makes note \(note.label) \(text)")
        case 3:
            let folder = SimulatedFolder(context: context)
            promises.set(folder, "name", text)
            promises.say("makes folder \(folder.label)")
        case 4:
            let tag = SimulatedTag(context: context)
            promises.set(tag, "name", text)
            promises.say("makes tag \(tag.label)")
        case 5, 6:
            promises.set(note, "title", text)
            promises.say("titles \(note?.label ?? "nothing") \(text)")
        case 7:
            promises.set(note, "body", scheduler.chance(300) ? nil : text)
            promises.say("writes \(text) or nothing into \(note?.label ?? "nothing")")
        case 8:
            let folder = world.any(folders)
            note?["folder"] = folder
            promises.say("moves \(note?.label ?? "nothing") to \(folder?.label ?? "nowhere")")
        case 9:
            let chosen = tags.filter { _ in scheduler.chance(500) }
            note?["tags"] = Set(chosen)
            promises.say("tags \(note?.label ?? "nothing") with \(chosen.map(\.label))")
        case 10: delete(note, context, &promises)
        case 11:
            let folder = world.any(folders), parent = world.any(folders)
            if folder !== parent { folder?["parent"] = parent }
            promises.say("puts folder \(folder?.label ?? "nothing") into \(parent?.label ?? "nowhere")")
        case 12: delete(world.any(tags), context, &promises)
        default: delete(world.any(folders), context, &promises)
        }
    }

    /// Tags a note, and waits before the save. Often another part of the app deletes one of the two meanwhile.
    private func tagSlowly(on device: SimulatedDevice) throws {
        let wait = scheduler.pick(0...world.plan.longestWait)
        var doomed: ObjectID?
        try device.link(savingAfter: wait) { context, promises in
            guard let note = try world.any(context.fetch(FetchRequest<SimulatedNote>())) else { return [] }
            let all = try context.fetch(FetchRequest<SimulatedTag>())
            let half = all.filter { _ in scheduler.chance(500) }
            let tags = half.isEmpty ? world.any(all).map { [$0] } ?? [] : half
            for tag in tags { try note.add(tag, to: "tags") }
            promises.say("tags \(note.label) with \(tags.map(\.label)), having thought")
            let ends = [note.objectID] + tags.map(\.objectID)
            if scheduler.chance(500) { doomed = world.any(ends) }
            return ends
        }
        guard let doomed, wait > 0 else { return }
        scheduler.after(scheduler.pick(0...(wait - 1))) { [unowned world, unowned device] in
            guard !world.isHealed else { return }
            world.attempt {
                guard try device.living?.has(doomed) == true else { return }
                try device.edit { context, promises in
                    try delete(context.existingObject(with: doomed), context, &promises)
                }
            }
        }
    }

    private func delete(_ object: ManagedObject?, _ context: ManagedObjectContext, _ promises: inout Promises) {
        guard let object else { return }
        context.delete(object)
        promises.deletions.append(object.key)
        promises.say("deletes \(object.entity.name) \(object.label)")
    }
}
