import Backstitch
import BackstitchSQLite
import BackstitchSync
import Foundation

/// The synced objects: contacts of ten fields, each at one of a few companies.
enum Contacts {
    static let model = ManagedObjectModel([
        EntityDescription(
            "Contact",
            [
                .attribute("name", .string), .attribute("email", .string), .attribute("city", .string),
                .attribute("street", .string), .attribute("age", .integer64), .attribute("score", .double),
                .attribute("created", .date), .attribute("isActive", .boolean), .attribute("visits", .integer64),
                .toOne("company", "Company", inverse: "contacts"),
            ]),
        EntityDescription(
            "Company", [.attribute("name", .string), .toMany("contacts", "Contact", inverse: "company")]),
        EntityDescription("Photo", [.attribute("bytes", .binary, external: true)]),
    ])

    /// A synced store in a folder. With `isAutomatic` it syncs by itself.
    static func container(
        _ folder: String, zone: String, at server: String, isAutomatic: Bool, model: ManagedObjectModel = model
    ) throws -> PersistentContainer {
        try PersistentContainer(
            model: model,
            store: .init(
                type: .sync, url: URL(fileURLWithPath: folder),
                options: [
                    .backingStoreType: "SQLite", .syncServerURL: server, .syncZoneName: zone,
                    .syncAutomatically: isAutomatic,
                ]))
    }

    /// Saves `count` contacts, some thousand at a time.
    static func make(
        _ count: Int, inZone zone: String? = nil, of container: PersistentContainer
    ) async throws {
        for first in stride(from: 0, to: count, by: 5_000) {
            try await container.perform { context in
                let company = try context.insertObject(entityName: "Company")
                company["name"] = "company \(first)"
                if let zone { try context.assign(company, toZone: zone) }
                for number in first..<min(first + 5_000, count) {
                    let contact = try context.insertObject(entityName: "Contact")
                    if let zone { try context.assign(contact, toZone: zone) }
                    contact["name"] = "name of person \(number)"
                    contact["email"] = "person\(number)@example.org"
                    contact["city"] = "city \(number % 1_000)"
                    contact["street"] = "street \(number % 777), number \(number % 50)"
                    contact["age"] = number % 90
                    contact["score"] = Double(number) * 0.37
                    contact["created"] = Date(timeIntervalSince1970: Double(number) * 60)
                    contact["isActive"] = number % 2 == 0
                    contact["visits"] = number * 7
                    contact["company"] = Optional(company)
                }
                try context.save()
            }
        }
    }
}
