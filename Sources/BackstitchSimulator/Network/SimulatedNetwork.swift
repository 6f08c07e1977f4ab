import BackstitchServer
import BackstitchSync
import NIOEmbedded

/// Carries requests of devices to the server and answers back, with faults at the rates of `weather`.
final class SimulatedNetwork {
    private unowned let world: World
    private var scheduler: Scheduler { world.scheduler }
    var weather = NetworkFaultRates.calm
    private var partitions: [String: Partition] = [:]
    private var open: [Exchange] = []
    /// Requests that began before this step of the world are no longer under way.
    private var oldest = 0

    init(_ world: World) { self.world = world }

    func set(_ partition: Partition, for device: SimulatedDevice) { partitions[device.name] = partition }

    func healAll() {
        partitions = [:]
        weather = .calm
    }

    /// Ends the open requests of a process that is gone.
    func cut(_ device: SimulatedDevice) {
        for exchange in open where exchange.device === device { exchange.fail("the process has ended") }
        open.removeAll { !$0.isOpen }
    }

    /// Ends all requests that wait for the server, because it is gone.
    func cutAll() {
        for exchange in open { exchange.fail("the connection was reset") }
        open = []
    }

    /// Ends the requests that wait for one of several servers, because that server is gone.
    func cutAll(at server: any WorldServer) {
        for exchange in open where exchange.process?.server === server { exchange.fail("the connection was reset") }
        open.removeAll { !$0.isOpen }
    }

    /// Ends all requests under way: no request lasts for months.
    func letMonthsPass() {
        oldest = scheduler.steps + 1
        cutAll()
    }

    /// Sends a request on its path to the server, with the faults of the weather.
    func begin(_ exchange: Exchange) {
        open.removeAll { !$0.isOpen }
        open.append(exchange)
        let partition = partitions[exchange.device.name] ?? .none
        scheduler.after(exchange.request.timeout) { exchange.fail("no answer in time", .timeout) }
        if partition == .both || partition == .towardsServer || scheduler.chance(weather.dropRequest) {
            note("is lost", exchange)
            return fail(exchange, "the connection broke")
        }
        if scheduler.chance(weather.refuse) { return refuse(exchange) }
        if scheduler.chance(weather.duplicate), !exchange.endpoint.hasSuffix("aps") {
            note("is sent twice", exchange)
            world.situations.note("a request arrived twice")
            let isLate = scheduler.chance(300)
            if isLate { world.situations.note("a duplicate arrived late") }
            scheduler.after(scheduler.pick(isLate ? 1_000...60_000 : 1...200)) { [self] in
                arrive(exchange, isAnswered: false)
            }
        }
        let isSlow = scheduler.chance(weather.slow)
        if isSlow { world.situations.note("a request was slow") }
        scheduler.after(scheduler.pick(isSlow ? 500...40_000 : 1...40)) { [self] in arrive(exchange, isAnswered: true) }
    }

    private func refuse(_ exchange: Exchange) {
        let status = [429, 500, 503][Int(scheduler.pick(0...2))]
        note("is refused with \(status)", exchange)
        world.situations.note("status \(status)")
        let headers = status == 500 ? [] : [(name: "Retry-After", value: "\(scheduler.pick(1...4))")]
        scheduler.after(scheduler.pick(1...40)) {
            exchange.finish(.success(TransportResponse(status: status, headers: headers)))
        }
    }

    private func fail(_ exchange: Exchange, _ why: String) {
        // Often the device learns of a failure at once. Otherwise it learns only by the timeout.
        if scheduler.chance(800) { scheduler.after(scheduler.pick(1...300)) { exchange.fail(why) } }
    }

    /// Handles a request that has reached the server.
    func arrive(_ exchange: Exchange, isAnswered: Bool) {
        guard exchange.begun >= oldest else { return }
        guard let process = world.server.next else { return isAnswered ? fail(exchange, "nobody listens") : () }
        if isAnswered { exchange.process = process }
        // The server does not notify a device of the device's own changes.
        if exchange.endpoint == "records/modify", !isAnswered || !exchange.isOpen { world.hasUntoldChange = true }
        let network = self
        scheduler.task {
            do {
                let answer = try await network.world.server.answer(exchange, by: process.server)
                guard isAnswered else { return }
                network.world.provoke(beforeAnswerOf: exchange)
                network.answered(exchange, answer, by: process)
            } catch {
                network.world.fail("the server threw \(error) at \(exchange.endpoint)")
            }
        }
    }

    private func answered(_ exchange: Exchange, _ answer: TransportResponse, by process: SimulatedServer.Process) {
        guard exchange.isOpen else { return noteLoss(ofAnswerTo: exchange) }
        guard world.server.isAlive(process) else {
            noteLoss(ofAnswerTo: exchange)
            return fail(exchange, "the connection was reset")
        }
        let partition = partitions[exchange.device.name] ?? .none
        if partition == .both || partition == .towardsDevice || scheduler.chance(weather.dropAnswer) {
            note("is answered \(answer.status), which is lost", exchange)
            world.situations.note(
                exchange.endpoint == "records/modify" ? "the answer of a push was lost" : "an answer was lost")
            noteLoss(ofAnswerTo: exchange)
            return fail(exchange, "the connection broke")
        }
        var response = answer
        // Bytes without a checksum that the device can check are left alone: TLS guards them.
        let isChecked = world.plan.plain == nil || !exchange.request.url.contains("/blob/")
        if !response.body.isEmpty, isChecked, scheduler.chance(weather.garble) { garble(&response, exchange) }
        let isSlow = scheduler.chance(weather.slow)
        // The answer may arrive after the device has given the request up and sent it again.
        if isSlow { noteLoss(ofAnswerTo: exchange) }
        scheduler.after(scheduler.pick(isSlow ? 500...40_000 : 1...40)) { [self] in
            guard exchange.isOpen else { return noteLoss(ofAnswerTo: exchange) }
            note("is answered \(answer.status)", exchange)
            exchange.finish(.success(response))
        }
    }

    /// Called when a device may not learn the outcome of its push: the answer is lost, garbled or late.
    private func noteLoss(ofAnswerTo exchange: Exchange) {
        if exchange.push != nil { world.ledger.mayLackAnswers.insert(exchange.device.disk.name) }
    }

    /// Garbles an answer, as a broken network node might. Either it cuts the answer short, or it puts in a character
    /// that JSON does not allow.
    private func garble(_ response: inout TransportResponse, _ exchange: Exchange) {
        world.situations.note("an answer was garbled")
        note("is answered, and that is garbled", exchange)
        noteLoss(ofAnswerTo: exchange)
        let place = Int(scheduler.pick(0...Int64(response.body.count - 1)))
        if scheduler.chance(500) {
            response.body = Array(response.body[..<place])
        } else {
            response.body[place] = 0x01
        }
    }

    private func note(_ what: String, _ exchange: Exchange) {
        world.trace.note("\(exchange.device.name)'s \(exchange.endpoint) \(what)")
    }
}
