/// How often each network fault happens, per 1,000 requests.
struct NetworkFaultRates {
    var dropRequest = 0
    var dropAnswer = 0
    var duplicate = 0
    var slow = 0
    var refuse = 0
    var garble = 0

    /// The network has no faults at all.
    static let calm = NetworkFaultRates()
    /// Faults happen now and then.
    static let rough = NetworkFaultRates(
        dropRequest: 40, dropAnswer: 60, duplicate: 40, slow: 40, refuse: 30, garble: 20)
    /// Most requests suffer some fault.
    static let storm = NetworkFaultRates(
        dropRequest: 200, dropAnswer: 250, duplicate: 100, slow: 100, refuse: 100, garble: 60)
}
