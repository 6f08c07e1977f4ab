import Backstitch

extension ManagedObjectModel {
    /// The journal with diaries. It adds callbacks, ordered relationships, transient and composite attributes,
    /// references that outlive their targets, and values kept by tombstones. Every store must take it.
    static let diaries = journal.adding([
        EntityDescription(
            "Diary", class: Diary.self,
            [
                .attribute("isSelected", .boolean, default: false, transient: true),
                .attribute("title", .string, default: ""),
                .attribute("hint", .string, optional: false, default: "none", transient: true),
                .toMany("pages", "Page", inverse: "diary", delete: .cascade, ordered: true),
                .toMany("readers", "Warden", inverse: "diaries", ordered: true),
                .toOne("keeper", "Warden", inverse: "kept"),
            ]),
        EntityDescription(
            "Page", class: Page.self,
            [
                .attribute("number", .integer64, default: 0), .attribute("name", .string, default: ""),
                .attribute("serial", .string).preservedInHistory(), .toOne("diary", "Diary", inverse: "pages"),
                .toOne("next", "Page", inverse: "previous"), .toMany("previous", "Page", inverse: "next"),
            ]),
    ]).adding(
        [
            .composite("address", address), .toOne("landlord", "Warden", inverse: "tenants"),
            .toMany("tenants", "Warden", inverse: "landlord"),
            .toMany("diaries", "Diary", inverse: "readers", ordered: true),
            .toMany("kept", "Diary", inverse: "keeper", delete: .noAction),
        ], to: "Warden")

    /// A street, a city with a default, and a group in the group.
    private static let address: [AttributeDescription] = {
        var place = AttributeDescription("place", .string)
        place.elements = [AttributeDescription("latitude", .double), AttributeDescription("longitude", .double)]
        return [AttributeDescription("street", .string), AttributeDescription("city", .string, default: "Rome"), place]
    }()
}
