import Backstitch

extension ManagedObjectModel {
    /// Objects with an attribute that is set by the hooks of reading.
    static let awaking = ManagedObjectModel([
        EntityDescription(
            "Alarm", class: Alarm.self,
            [.attribute("name", .string, default: ""), .attribute("shown", .string, transient: true)])
    ])
}
