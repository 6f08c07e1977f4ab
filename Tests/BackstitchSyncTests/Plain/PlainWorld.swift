import Backstitch
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport

/// A plain server of CloudKit Web Services on a port of this machine, and devices that sync with it.
final class PlainWorld: Sendable {
    let server: PlainServer
    private let http: LoopbackHTTP
    let folder: URL
    private let devices = Locked<[SyncDevice]>([])
    /// Decides about answers before they go; nil lets them go.
    private let fault: Locked<Fault?>
    /// Decides which requests are lost before the server gets them.
    private let loss: Locked<(@Sendable (LoopbackHTTP.Request) -> Bool)?>

    /// Seconds after which a long poll without news ends.
    var pollWait: Double {
        get { wait.withLock { $0 } }
        set { wait.withLock { $0 = newValue } }
    }
    private let wait: Locked<Double>

    typealias Fault = @Sendable (LoopbackHTTP.Request, PlainServer.Answer) -> LoopbackHTTP.Reply?

    init(_ behavior: PlainBehavior = PlainBehavior(), token: String? = nil, hasUsers: Bool = false) throws {
        let server = PlainServer(behavior, token: token, hasUsers: hasUsers) {
            Int64(Date().timeIntervalSince1970 * 1_000)
        }
        let fault = Locked<Fault?>(nil)
        self.server = server
        self.fault = fault
        let loss = Locked<(@Sendable (LoopbackHTTP.Request) -> Bool)?>(nil)
        self.loss = loss
        let wait = Locked(20.0)
        self.wait = wait
        folder = FileManager.default.temporaryDirectory.appending(
            path: "backstitch-plain-\(ObjectIDGenerator().next().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        http = try LoopbackHTTP { request in
            let asked = PlainServer.Request(request.method, "http://127.0.0.1\(request.path)", body: request.body)
            if request.path.hasPrefix("/aps") {
                // Waits a while, as the long poll does.
                let end = Date(timeIntervalSinceNow: wait.withLock { $0 })
                while !server.hasNotification(at: asked.url), Date() < end { Thread.sleep(forTimeInterval: 0.02) }
            }
            if loss.withLock({ $0 })?(request) == true { return .hangUp }
            let answer = server.answer(asked)
            if let reply = fault.withLock({ $0 })?(request, answer) { return reply }
            return .answer(status: answer.status, headers: answer.headers, body: answer.body)
        }
        server.setAddress(http.url.absoluteString)
    }

    /// Runs `body` in a world of its own, and ends it.
    static func run<Result>(
        _ behavior: PlainBehavior = PlainBehavior(), token: String? = nil, hasUsers: Bool = false,
        _ body: (PlainWorld) async throws -> Result
    ) async throws -> Result {
        let world = try PlainWorld(behavior, token: token, hasUsers: hasUsers)
        defer { world.end() }
        return try await body(world)
    }

    var url: URL { http.url }

    /// Lets answers be changed or withheld.
    func interfere(_ fault: Fault?) { self.fault.withLock { $0 = fault } }

    /// Lets requests be lost before the server gets them.
    func lose(_ isLost: (@Sendable (LoopbackHTTP.Request) -> Bool)?) { loss.withLock { $0 = isLost } }

    /// Cuts the line at a push, counted from 0 among those from now on. Nothing passes from then on: a device would
    /// send the push again in the same sync.
    ///
    /// - Parameter isTaken: Whether the server still takes that push.
    func breakDown(atPush number: Int, isTaken: Bool) {
        let pushes = Locked(0), isDown = Locked(false)
        lose { request in
            if isDown.withLock({ $0 }) { return true }
            guard request.path.contains("/records/modify") else { return false }
            let isLast = pushes.withLock { count in
                defer { count += 1 }
                return count == number
            }
            if isLast { isDown.withLock { $0 = true } }
            return isLast && !isTaken
        }
        interfere { _, _ in isDown.withLock { $0 } ? .hangUp : nil }
    }

    /// Lets all requests and answers through.
    func mend() {
        interfere(nil)
        lose(nil)
    }

    func device(
        _ name: String? = nil, policy: ConflictResolutionPolicy = .serverWins, automatic: Bool = false,
        model: ManagedObjectModel = SyncTestModel.description, _ more: [StoreOption: any Sendable] = [:]
    ) throws -> SyncDevice {
        var options: [StoreOption: any Sendable] = [
            .syncServerURL: http.url.absoluteString, .syncConflictResolutionPolicy: policy.rawValue,
            .syncAutomatically: automatic, .syncRequestTimeout: 5,
        ]
        if !automatic { options[.syncOnSave] = false }
        options.merge(more) { $1 }
        let device = try SyncDevice(model: model, options: options, url: name.map { folder.appending(path: $0) })
        devices.withLock { $0.append(device) }
        return device
    }

    private func end() {
        for device in devices.withLock({ $0 }) { try? device.close() }
        http.stop()
        try? FileManager.default.removeItem(at: folder)
    }
}
