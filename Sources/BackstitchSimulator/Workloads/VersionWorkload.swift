import Backstitch

/// Programs of an older and a newer version side by side. The older program keeps unknown properties, and has them
/// after its update.
final class VersionWorkload: Workload {
    private unowned let world: World

    init(_ world: World) { self.world = world }

    func act(on device: SimulatedDevice) throws {
        if device.modelVersion == 1, world.scheduler.chance(80) {
            try device.kill("for an update of the program")
            device.modelVersion = 2
            world.situations.note("a program was brought up to date")
            return try device.start()
        }
        try device.edit { context, promises in
            let notes = try context.fetch(FetchRequest<SimulatedNote>())
            let text = world.uniqueText(device)
            guard let note = world.any(notes), world.scheduler.chance(750) else {
                let note = SimulatedNote(context: context)
                promises.set(note, "title", text)
                return promises.say("makes note \(note.label) \(text)")
            }
            let property = device.modelVersion == 2 && world.scheduler.chance(600) ? "extra" : "title"
            promises.set(note, property, text)
            promises.say("sets \(property) of \(note.label) to \(text)")
            if device.modelVersion == 2, world.scheduler.chance(200) {
                let sticker = SimulatedSticker(context: context)
                promises.set(sticker, "name", text)
                promises.say("makes sticker \(sticker.label)")
            }
        }
    }
}
