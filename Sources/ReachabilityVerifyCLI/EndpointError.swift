/// The reason why a text is not an endpoint.
struct EndpointError: Error {
  var problem: String
}
