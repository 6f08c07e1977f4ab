import Backstitch
import Foundation

/// Photos of notes: set, replaced and cleared, some with equal bytes. At the end every device must have the bytes of
/// all its photos.
final class PhotoWorkload: Workload {
    private unowned let world: World

    init(_ world: World) { self.world = world }

    func act(on device: SimulatedDevice) throws {
        try device.edit { context, promises in
            let notes = try context.fetch(FetchRequest<SimulatedNote>())
            let note: SimulatedNote
            if let known = world.any(notes), world.scheduler.chance(700) {
                note = known
            } else {
                note = SimulatedNote(context: context)
                promises.set(note, "title", world.uniqueText(device))
            }
            guard !world.scheduler.chance(150) else {
                note["photo"] = Data?.none
                return promises.say("takes the photo from \(note.label)")
            }
            // Few numbers, so that photos recur.
            let number = UInt8(world.scheduler.pick(0...12))
            note["photo"] = Data(repeating: number, count: 40 + Int(number) * 90)
            promises.say("gives \(note.label) photo \(number)")
        }
    }

    func judge(_ device: SimulatedDevice) throws {
        guard let coordinator = device.process?.coordinator, let entity = coordinator.model.entity(named: "Note"),
            let slot = entity.property(named: "photo")?.slot
        else { return }
        let rows = try coordinator.store.fetch(StoreFetchRequest(entity: entity))
        for row in 0..<rows.count {
            guard case .asset(let reference) = rows.value(row, slot) else { continue }
            if try coordinator.store.assets.read(reference) == nil {
                world.fail("\(device.name) lacks the bytes of \(rows.keys[row].uuidString.suffix(4)).photo")
            }
        }
    }
}
