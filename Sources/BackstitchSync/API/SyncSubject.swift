/// A part of a ``SyncController``: the methods of one subject.
protocol SyncSubject {
    var sync: SyncController { get }
}

extension SyncSubject {
    var services: SyncServices { sync.services }
    var driver: SyncDriver { sync.driver }
    var hasMainZone: Bool { services.client.options.database.hasMainZone }
}
